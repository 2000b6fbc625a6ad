import { sleep } from '../workload/client.ts'
import type { World } from '../workload/world.ts'

const second = 1_000_000
const jumps = [-86_400, -3600, -30, 30, 3600, 86_400]

/** Crashes, freezes and clock jumps of servers, and outages of the database. */
export function startChaos(world: World): void {
  const { loop, servers, database } = world
  const interval = 0.5
  const wreak = async () => {
    while (!world.isCalm) {
      await sleep(interval)
      const { crash, freeze, clockJump, outage } = world.faults
      for (const server of servers) {
        if (loop.chance(crash * interval)) server.crash(loop.between(0.2 * second, 8 * second))
        if (loop.chance(freeze * interval)) server.freeze(loop.between(0.1 * second, 15 * second))
        if (loop.chance(clockJump * interval)) server.jumpClock(loop.pick(jumps) * second)
      }
      if (loop.chance(outage * interval)) {
        const until = loop.now + loop.between(0.2 * second, 5 * second)
        if (loop.chance(0.5)) database.unreachableUntil = until
        else database.fullUntil = until
        loop.history.note('database', 'is unavailable')
      }
    }
  }
  void loop.as(loop.network, wreak)
}
