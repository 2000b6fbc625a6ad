import { IdleThread } from '../../lib/idle-thread.ts'
import { perServer } from '../../storage/server-context.ts'
import type { EventRow } from '../store.ts'
import type { EncodedSegment, SegmentBuild } from './segment-builder.ts'
import type { BuildAnswer, BuildRequest } from './segment-worker.ts'

/** Next to this file, or next to the bundle: see scripts/build-server.ts. */
const entry = new URL(import.meta.url.endsWith('.ts') ? './segment-worker.ts' : './segment-worker.mjs', import.meta.url)

/** Longer than the time between two passes of the service, so that a busy server keeps the thread with its compiled code. */
const idleSecondsMax = 30

/**
 * A thread that builds segments, one at a time. On the thread that serves requests the same work delayed them, and its short-lived objects made the heap grow
 * (ADR 0058).
 */
export class SegmentThread {
  readonly #thread: IdleThread<BuildRequest, BuildAnswer>

  constructor(idleSeconds = idleSecondsMax) {
    this.#thread = new IdleThread({ entry, purpose: 'builds event segments', idleSeconds })
  }

  get isRunning(): boolean {
    return this.#thread.isRunning
  }

  /** Begins a segment. One that was not encoded is discarded. */
  begin(size: number): SegmentBuild {
    this.#thread.post({ begin: size })
    return new ThreadBuild((request) => this.#thread.ask(request))
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

class ThreadBuild implements SegmentBuild {
  readonly positions: number[] = []
  readonly #ask: (request: BuildRequest) => Promise<BuildAnswer>
  #added: Promise<unknown> = Promise.resolve()

  constructor(ask: (request: BuildRequest) => Promise<BuildAnswer>) {
    this.#ask = async (request) => {
      const answer = await ask(request)
      if ('failure' in answer) throw new Error(`An event segment could not be built: ${answer.failure}`)
      return answer
    }
  }

  /** Resolves when the rows before these are added, so that the next ones are read meanwhile. */
  async add(rows: readonly EventRow[]): Promise<void> {
    await this.#added
    for (const { position } of rows) this.positions.push(position)
    this.#added = this.#ask({ add: rows })
    // Reported by the next call. A build that is discarded has none.
    this.#added.catch(() => undefined)
  }

  async encode(): Promise<EncodedSegment> {
    await this.#added
    const answer = await this.#ask({ encode: true })
    return (answer as { readonly encoded: EncodedSegment }).encoded
  }
}

/** The thread of a server. */
export const segmentThread = perServer(() => new SegmentThread())
