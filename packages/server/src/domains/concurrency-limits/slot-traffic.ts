import type { Batch } from '../../storage/lane.ts'
import type { Parts } from '../../storage/parts.ts'
import { perParts } from '../../storage/per-parts.ts'
import { type Needs, SlotBook } from './slot-book.ts'

/** Something that takes, gives back or keeps slots: what it has to look at, and what it then does. An error it returns is its answer. */
export interface SlotRequest<R = unknown> extends Needs {
  carryOut(book: SlotBook): R | Error
}

/** All requests of a moment together: their limits are locked once and in order, and however many they are, the statements stay as many. */
const slotTraffic = perParts(
  (parts): Batch<SlotRequest, unknown> =>
    async (tx, requests) => {
      const together = (list: (request: SlotRequest) => readonly string[] | undefined) => [
        ...new Set(requests.flatMap((request) => list(request) ?? [])),
      ]
      const needs = {
        names: together(({ names }) => names),
        leases: together(({ leases }) => leases),
        holders: together(({ holders }) => holders),
        loose: requests.reduce((sum, { loose }) => sum + (loose ?? 0), 0),
      }
      const book = await SlotBook.open(tx, needs, { now: parts.clock.now(), newId: parts.newId, ...parts.config.concurrency })
      const answers = requests.map((request) => request.carryOut(book))
      await book.flush()
      return answers as (unknown | Error)[]
    },
)

export const carryOut = <R>(parts: Parts, request: SlotRequest<R>): Promise<R> => parts.lane.submitTo(slotTraffic(parts), request) as Promise<R>
