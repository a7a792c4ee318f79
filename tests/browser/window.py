"""What the tests do with a browser: open, look, point, press keys, take pictures."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

LAPTOP, DESK = (1366, 768), (1920, 1080)
# Where pictures for the docs go; `make pictures` sets it.
_PICTURES = os.environ.get("PLACEWISE_PICTURES")


class Window:
    """A page in a browser."""

    def __init__(self, browser: Any, page: Path, size: tuple[int, int] = LAPTOP) -> None:
        self.browser = browser
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        browser.get_log("browser")
        browser.get_log("performance")
        browser.get(page.as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        """Return what a script in the page returns."""
        return self.browser.execute_script(script, *arguments)

    def element(self, selector: str) -> Any:
        """Return the element that a CSS selector means."""
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        """Return the text of an element as it is shown."""
        return self.element(selector).text

    def waited(self, selector: str, seconds: float = 10) -> str:
        """Return the text of an element once it is there."""
        return WebDriverWait(self.browser, seconds).until(
            lambda browser: browser.find_element(By.CSS_SELECTOR, selector).text
        )

    def show(self, view: str) -> None:
        """Click the tab of a view."""
        self.element(f"#tab-{view}").click()

    def prefer(self, scheme: str) -> None:
        """Let the system prefer dark or light."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def point_at(self, selector: str, x: float, y: float) -> None:
        """Move the mouse to a place inside of an element."""
        target = self.element(selector)
        size = target.size
        chain = ActionChains(self.browser)
        chain.move_to_element_with_offset(target, x - size["width"] / 2, y - size["height"] / 2)
        chain.perform()

    def problems(self) -> list[str]:
        """Return the errors and warnings on the console."""
        return [entry["message"] for entry in self.browser.get_log("browser")]

    def requests(self) -> list[str]:
        """Return what the page asked for over the network since it was opened, without itself."""
        messages = [
            json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")
        ]
        urls = [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in urls if not url.startswith(("file:", "data:"))]

    def picture(self, name: str = "") -> Image.Image:
        """Return a picture of the window; with a name it is kept, if pictures are asked for."""
        image = Image.open(io.BytesIO(self.browser.get_screenshot_as_png())).convert("RGB")
        if name and _PICTURES:
            file = Path(_PICTURES) / f"{name}.png"
            # Small areas of a colour, such as legends, must keep theirs.
            few = image.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
            few.save(file, optimize=True)
        return image
