import type { Criteria } from '@millrace/server/events/criteria.ts'
import { liveEvents } from '@millrace/server/events/live.ts'
import { sleep } from './client.ts'
import type { World } from './world.ts'

const everything: Criteria = {
  since: Number.MIN_SAFE_INTEGER,
  until: Number.MAX_SAFE_INTEGER,
  order: 'ASC',
  ids: null,
  names: null,
  resource: null,
  distinct: false,
  related: [],
  any: [],
  search: null,
}

/**
 * Follows the event log through one server after the other, as a client of the WebSocket does. It continues behind the last event that it received, after a
 * crash and also just so.
 */
export function startSubscriber(world: World): void {
  const { loop, servers, ledger } = world
  const received: number[] = []
  ledger.received.push(received)
  const follow = async () => {
    for (;;) {
      const up = servers.filter(({ isUp }) => isUp)
      const server = up.length > 0 ? loop.pick(up) : undefined
      const { context, machine } = server ?? {}
      if (!context || !machine) {
        await sleep(1)
        continue
      }
      const controller = new AbortController()
      loop.history.note('subscriber', `follows ${machine.name} after ${received.at(-1) ?? 0}`)
      const listener = {
        criteria: everything,
        signal: controller.signal,
        unsentBytes: 0,
        waitForDrain: async () => {},
        send({ row }: { readonly row: { readonly position: number } }) {
          if (!controller.signal.aborted) received.push(row.position)
        },
        disconnect: () => {},
        reject: () => {},
      }
      loop.as(machine, () => void liveEvents(context).subscribe(listener, received.at(-1) ?? 0))
      const leaveAt = loop.now + loop.between(2_000_000, 20_000_000)
      while (machine.isAlive && loop.now < leaveAt) await sleep(0.5)
      controller.abort()
    }
  }
  void loop.as(loop.network, follow)
}
