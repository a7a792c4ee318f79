"""TensorFlow's allocator written down plainly, bins and all: what the pool is compared with."""

UNIT, BINS = 256, 21


def bin_of(size: int) -> int:
    number = 0
    while number < BINS - 1 and size >= UNIT << (number + 1):
        number += 1
    return number


class PlainPool:
    """Lists of [address, size, used] per region, searched bin by bin."""

    def __init__(self, limit: int, grows: bool) -> None:
        self.limit, self.mapped, self.start = limit, 0, 1 << 40
        first = min(limit, 2 << 20) if grows else limit
        self.next_size = max(-(-first // UNIT) * UNIT, UNIT)
        self.regions: list[list[list[int]]] = []

    def allocate(self, nbytes: int) -> int | None:
        size = -(-nbytes // UNIT) * UNIT
        for attempt in (self.extend, self.collect):
            found = self.find(size)
            if found is not None:
                return found
            if not attempt(size):
                continue
        return self.find(size)

    def find(self, size: int) -> int | None:
        bins: list[list[tuple[int, int, list[list[int]], list[int]]]] = [[] for _ in range(BINS)]
        for region in self.regions:
            for chunk in region:
                if not chunk[2]:
                    bins[bin_of(chunk[1])].append((chunk[1], chunk[0], region, chunk))
        for number in range(bin_of(size), BINS):
            for have, address, region, chunk in sorted(bins[number], key=lambda row: row[:2]):
                if have < size:
                    continue
                if have >= 2 * size or have - size >= 128 << 20:
                    region.insert(region.index(chunk) + 1, [address + size, have - size, 0])
                    chunk[1] = size
                chunk[2] = 1
                return address
        return None

    def extend(self, size: int) -> bool:
        left = (self.limit - self.mapped) // UNIT * UNIT
        if size > left:
            return False
        larger = False
        while size > self.next_size:
            self.next_size, larger = self.next_size * 2, True
        got = min(self.next_size, left)
        if not larger:
            self.next_size *= 2
        self.regions.append([[self.start, got, 0]])
        self.start += got + UNIT
        self.mapped += got
        return True

    def collect(self, size: int) -> bool:
        unused = [region for region in self.regions if len(region) == 1 and not region[0][2]]
        free = sum(region[0][1] for region in unused)
        if not free or size > self.limit - self.mapped + free:
            return False
        self.regions = [region for region in self.regions if region not in unused]
        self.mapped -= free
        return self.extend(size)

    def free(self, address: int) -> None:
        for region in self.regions:
            for place, chunk in enumerate(region):
                if chunk[0] == address:
                    chunk[2] = 0
                    if place + 1 < len(region) and not region[place + 1][2]:
                        chunk[1] += region.pop(place + 1)[1]
                    if place and not region[place - 1][2]:
                        region[place - 1][1] += region.pop(place)[1]
                    return

    def chunks(self) -> list[tuple[int, int, bool]]:
        return [(a, s, bool(u)) for region in self.regions for a, s, u in region]
