"""A ball in pygame, with even motion: 30 updates per second on any display. CC0: copy freely.

Above the ball is blended between two updates; below it is not. An argument: seconds until it ends.
"""
import sys

import evenstep
import pygame

pygame.init()
screen = pygame.display.set_mode((640, 240), pygame.SCALED, vsync=1)
loop = evenstep.Loop(tick_rate=30)
ball = evenstep.Track1()
ball.set(0, 0)
x, speed, end = 20.0, 240.0, float(sys.argv[1]) if len(sys.argv) > 1 else 1e9

for frame in loop:
    if any(event.type == pygame.QUIT for event in pygame.event.get()) or frame.content_ns > end * 1e9:
        break
    for step in frame.updates():
        x += speed * step.dt_s
        speed = -speed if not 20 <= x <= 620 else speed
        ball.set(step.index, x)
    screen.fill((20, 24, 32))
    pygame.draw.circle(screen, (255, 255, 255), (ball.at(frame), 60), 20)
    pygame.draw.circle(screen, (110, 110, 110), (x, 180), 20)
    loop.submit()
    pygame.display.flip()

print("display: mode %d, %.3f ms; problem: %s" % (loop.display.mode, loop.display.period_ns / 1e6, loop.problem))
