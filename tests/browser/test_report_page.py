"""The HTML report in a real Chromium."""

from __future__ import annotations

import time

import pytest

from tests.reports.reading import parts_of, ran

window = pytest.importorskip("tests.browser.window", reason="selenium is not installed")
Window, LAPTOP, DESK = window.Window, window.LAPTOP, window.DESK
_VIEWS = ("timeline", "memory", "graph", "placement", "fallbacks", "copies", "steps")
_DOWN, _RIGHT, _LEFT, _ESCAPE = "\ue015", "\ue014", "\ue012", "\ue00c"


def _opened(browser, file):
    page = Window(browser, file)
    page.prefer("light")
    return page


@pytest.fixture
def cnn(browser, cnn_page):
    page = _opened(browser, cnn_page)
    yield page
    assert page.problems() == []


@pytest.fixture
def large(browser, large_page):
    page = _opened(browser, large_page)
    yield page
    assert page.problems() == []


def test_every_view_opens_without_errors_and_without_network(cnn):
    for view in _VIEWS:
        cnn.show(view)
        assert cnn.element(f"#view-{view}").is_displayed()
    assert cnn.requests() == []
    assert cnn.text("h1") == "cifar10_multi_gpu.py"


# Op runs that the timeline draws now, each with the label of its track.
_SHOWN = """
const items = page.views.timeline.shown.flatMap((block) => block.items);
return items.filter((item) => item.type === "op")
  .map((item) => [item.index, page.model.tracks[item.track].label.replace(/ .*/, "")]);
"""


def test_the_timeline_shows_each_op_once_on_its_device(cnn, cnn_page):
    (part,) = parts_of(cnn_page)
    cnn.element("#zoom-all").click()
    shown = cnn.run(_SHOWN)
    assert len(shown) == len(part["ops"]["node"]) == len({index for index, _ in shown})
    assert dict(map(tuple, shown)) == dict(enumerate(device for _, device in ran(part)))
    drawn = cnn.run("return page.views.timeline.chart.getOption().series[0].data.length")
    assert 0 < drawn <= len(shown) + len(part["copies"]["start"]) + len(part["runs"]["id"])


def test_search_finds_ops_and_goes_from_one_to_the_next(cnn, cnn_page):
    (part,) = parts_of(cnn_page)
    box = cnn.element("#search")
    box.send_keys("conv1/Conv2D tower_2")
    names = [name for name in part["nodes"]["name"] if "conv1/Conv2D" in name and "tower_2" in name]
    assert cnn.text("#matches") == str(len(names)) and names
    box.send_keys("\n")
    first = cnn.text("#details")
    assert "tower_2" in first and "conv1/Conv2D" in first and "GPU:2" in first
    box.send_keys("\n")
    assert cnn.text("#details") != first
    box.send_keys(_ESCAPE)
    assert cnn.text("#matches") == "" and box.get_attribute("value") == ""


# Goes to an op by its name, and returns where its box is.
_BOX = """
const view = page.views.timeline, model = page.model;
const index = model.ops.node.findIndex((node) => model.nodes.name[node] === arguments[0]);
view.reveal(index);
const item = model.opItems[index], middle = (item.start + item.end) / 2;
return view.chart.convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, [middle, item.track]);
"""


def test_pointing_at_an_op_tells_its_line_inputs_and_reason(cnn):
    place = cnn.run(_BOX, "tower_1/conv2/Conv2D")
    cnn.point_at("#timeline", *place)
    tip = cnn.waited(".tip")
    assert "tower_1/conv2/Conv2D" in tip and "GPU:1" in tip
    assert "requested /device:GPU:1" in tip
    assert "cifar10_multi_gpu.py:" in tip and "float32[8," in tip


def test_the_timeline_zooms_and_pans_by_keys_and_by_wheel(cnn):
    def width():
        begin, end = cnn.run("return page.views.timeline.window")
        return end - begin

    before, chart = width(), cnn.element("#timeline")
    chart.send_keys("+")
    assert width() == pytest.approx(before / 2, rel=0.01)
    begin = cnn.run("return page.views.timeline.window[0]")
    chart.send_keys(_RIGHT)
    assert cnn.run("return page.views.timeline.window[0]") > begin
    chart.send_keys("0")
    whole = width()
    assert whole == pytest.approx(cnn.run("return page.model.end"))
    wheel = {"type": "mouseWheel", "x": 600, "y": 300, "deltaX": 0, "deltaY": -240}
    cnn.browser.execute_cdp_cmd("Input.dispatchMouseEvent", wheel)
    deadline = time.monotonic() + 10
    while width() > 0.99 * whole and time.monotonic() < deadline:
        time.sleep(0.05)
    assert width() < 0.99 * whole


def test_memory_names_the_holders_of_the_peak(cnn):
    cnn.show("memory")
    text = cnn.text("#view-memory")
    assert "Who holds GPU:0's memory" in text and "tower_0/conv1" in text


_COUNTS = """
const cells = document.querySelectorAll("#view-copies .card:first-child td:nth-child(4)");
return [...cells].map((cell) => Number(cell.textContent));
"""


def test_tables_tell_what_was_asked_and_what_was_done(cnn):
    cnn.show("placement")
    assert "requested /device:GPU:3" in cnn.text("#view-placement .card")
    cnn.show("fallbacks")
    assert "ScalarSummary" in cnn.text("#view-fallbacks")
    cnn.show("copies")
    assert "local3/weights:0" in cnn.text("#view-copies")
    cnn.element("#view-copies th:nth-child(4) button").click()
    counts = cnn.run(_COUNTS)
    assert counts == sorted(counts, reverse=True) and counts


def test_tabs_and_scopes_work_with_the_keyboard_alone(cnn):
    def boxes():
        return cnn.run("return page.views.graph.visible().length")

    cnn.element("body").send_keys("3")
    assert cnn.element("#view-graph").is_displayed()
    outline, closed = cnn.element("#outline"), boxes()
    outline.send_keys(_DOWN)
    assert cnn.run("return page.views.graph.current.name") in outline.text
    outline.send_keys(_RIGHT)
    assert boxes() > closed
    outline.send_keys(_LEFT)
    assert boxes() == closed
    cnn.element("#tab-graph").send_keys(_RIGHT)
    assert cnn.element("#view-placement").is_displayed()


# Goes to a node of the graph, and returns its colour and that of GPU:2.
_COLOURS = """
const view = page.views.graph;
view.reveal(arguments[0]);
const box = view.cy.getElementById(view.id(view.leaves[arguments[0]]));
const gpu = page.model.devices.findIndex((one) => one.label === "GPU:2");
return [box.data("colour"), theme.device(page.model, gpu)];
"""


def test_the_graph_is_coloured_by_the_device_that_ran_the_op(cnn, cnn_page):
    (part,) = parts_of(cnn_page)
    cnn.show("graph")
    colour, device = cnn.run(_COLOURS, part["nodes"]["name"].index("tower_2/conv2/Conv2D"))
    assert colour == device
    assert "ran on\nGPU:2" in cnn.text("#graph-details")


_OPEN_FIRST = """
const view = page.views.graph;
view.toggle(view.visible().find((scope) => !scope.isLeaf && !view.open.has(scope)));
"""


def test_a_graph_of_20_000_nodes_opens_closes_and_finds(large):
    def boxes():
        return int(large.text("#graph-count").split()[0])

    large.show("graph")
    assert "of 20,000 ops" in large.text("#graph-count")
    count = boxes()
    assert count < 100
    for _ in range(2):  # a tower, and its blocks
        large.run(_OPEN_FIRST)
    assert count < boxes() < 400
    box = large.element("#search")
    box.send_keys("tower_3/block_39/layer_99/Relu")
    box.send_keys("\n")
    assert "layer_99/Relu" in large.text("#graph-details")
    large.element("#graph-up").click()
    assert boxes() == count


def test_a_timeline_of_40_000_ops_draws_few_boxes(large):
    large.element("#zoom-all").click()
    assert large.run("return page.views.timeline.shown.length") < 8000
    assert len(large.run(_SHOWN)) == 40_000


def test_dark_and_light_follow_the_system_and_the_button(cnn):
    def paper():
        picture = cnn.picture()
        return max(picture.getcolors(1 << 20))[1]

    assert min(paper()) > 200
    cnn.element("#theme").click()
    assert max(paper()) < 80
    cnn.run("localStorage.clear()")
    cnn.prefer("dark")
    cnn.browser.refresh()
    assert cnn.run("return document.documentElement.dataset.theme") == "dark"
    cnn.prefer("light")


_OPEN_TOWER = """
const view = page.views.graph;
view.toggle(view.visible().find((scope) => scope.name === "tower_1"));
"""
_SELECT = """
const view = page.views.timeline, model = page.model, [begin, end] = view.window;
view.select(model.opItems[model.ops.node.findIndex((node, index) =>
  model.nodes.name[node] === "tower_2/conv1/Conv2D" && model.ops.start[index] > begin)]);
"""
_EXTENT = """
const page = document.documentElement;
return [page.scrollWidth, page.scrollHeight];
"""


@pytest.mark.parametrize("size", [LAPTOP, DESK], ids=["laptop", "desk"])
def test_nothing_is_cut_off(browser, cnn_page, size):
    page = Window(browser, cnn_page, size)
    page.prefer("light")
    choose = {"timeline": _SELECT, "graph": _OPEN_TOWER}
    for view in ("timeline", "memory", "graph", "placement", "steps"):
        page.show(view)
        assert tuple(page.run(_EXTENT)) == size, view
        if view in choose:
            page.run(choose[view])
        time.sleep(0.2)
        picture = page.picture(f"report-{view}" if size == LAPTOP else "")
        assert picture.size == size and len(picture.getcolors(1 << 20)) > 20
    page.show("timeline")
    page.run("theme.set('dark')")
    time.sleep(0.3)
    page.picture("report-dark" if size == LAPTOP else "")
    assert page.problems() == []
