#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A TCP proxy on 127.0.0.1 that holds every byte back: delay_proxy.py PORT TARGET-PORT MILLISECONDS (in each direction).

Prints "ready" when it listens, and at the end of each connection how often the direction changed: the round trips.
"""
import asyncio
import sys

PIECE = 1 << 18

port, target, delay = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]) / 1000


async def pass_on(reader, writer, name, turns):
    loop, queue = asyncio.get_running_loop(), asyncio.Queue()

    async def send():
        while True:
            due, piece = await queue.get()
            await asyncio.sleep(max(0, due - loop.time()))
            if not piece:
                writer.close()
                return
            writer.write(piece)
            await writer.drain()

    sender = asyncio.ensure_future(send())
    while True:
        try:
            piece = await reader.read(PIECE)
        except ConnectionError:
            piece = b""
        if not turns or turns[-1] != name:
            turns.append(name)
        await queue.put((loop.time() + delay, piece))
        if not piece:
            await asyncio.wait([sender])
            return


async def serve(reader, writer):
    other_reader, other_writer = await asyncio.open_connection("127.0.0.1", target, limit=PIECE)
    turns = []
    await asyncio.gather(pass_on(reader, other_writer, "up", turns), pass_on(other_reader, writer, "down", turns))
    print(f"{len(turns) // 2} round trips", flush=True)


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", port, limit=PIECE)
    print("ready", flush=True)
    async with server:
        await server.serve_forever()


asyncio.run(main())
