"""A ball at 200 pixels per second in pygame; prints where each frame draws it. Argument: own (clock.tick and dt) or even."""
import sys

import pygame

pygame.init()
pygame.display.set_mode((320, 64), pygame.SCALED, vsync=1)
x, previous = 0.0, 0.0
if sys.argv[1] == "own":
    clock = pygame.time.Clock()
    for _ in range(600):
        pygame.event.get()
        x += 200 * clock.tick(int(sys.argv[2])) / 1000
        print("%.6f" % x, flush=True)
        pygame.display.flip()
else:
    import evenstep

    loop = evenstep.Loop(tick_rate=60)
    for frame in loop:
        pygame.event.get()
        for step in frame.updates():
            previous, x = x, x + 200 * step.dt_s
        print("%.6f" % evenstep.lerp(previous, x, frame.alpha), flush=True)
        loop.submit()
        pygame.display.flip()
        if frame.index == 599:
            break
