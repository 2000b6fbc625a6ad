import { writeJson } from '../../lib/json.ts'
import { type LogRow, toLogResponse } from './store.ts'

/** A log on its way to subscribers; the message is written once for all of them, when the first one wants it. */
export class StreamLog {
  readonly row: LogRow
  #frame: Uint8Array | undefined

  constructor(row: LogRow) {
    this.row = row
  }

  get frame(): Uint8Array {
    this.#frame ??= Buffer.from(writeJson({ type: 'log', log: toLogResponse(this.row) }))
    return this.#frame
  }
}
