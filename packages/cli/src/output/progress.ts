import type { Sink } from '../io.ts'
import { formatBar, formatNumber } from './number-text.ts'
import { truncate } from './text-width.ts'
import { formatDuration } from './time-text.ts'

export interface ProgressOptions {
  /** What is counted, in plural: `rows`. */
  readonly unit: string
  readonly total: number
  /** Part of the total that an earlier run has done. It counts for the bar, not for the rate. */
  readonly alreadyDone?: number
  /** Replaces the clock of the machine. */
  readonly nowMs?: () => number
}

const barWidth = 30
/** Minimum time between two redraws. */
const redrawMs = 100
const eraseLine = '\r\u001b[2K'

/** Shows the progress of long work: a bar on a terminal, otherwise one line per stage. */
export class Progress {
  /** Units done by this run. */
  done = 0
  readonly #sink: Sink
  readonly #options: ProgressOptions
  readonly #nowMs: () => number
  readonly #startedMs: number
  #drawnMs = Number.NEGATIVE_INFINITY
  #stage = ''
  #doneOfStage = 0

  constructor(sink: Sink, options: ProgressOptions) {
    this.#sink = sink
    this.#options = options
    this.#nowMs = options.nowMs ?? Date.now
    this.#startedMs = this.#nowMs()
  }

  /** Counts finished units of a stage, such as the name of a table. */
  advance(stage: string, count: number): void {
    if (stage !== this.#stage) {
      this.#printStage()
      this.#stage = stage
      this.#doneOfStage = 0
    }
    this.#doneOfStage += count
    this.done += count
    const now = this.#nowMs()
    if (!this.#sink.isTTY || now - this.#drawnMs < redrawMs) return
    this.#drawnMs = now
    this.#sink.write(`${eraseLine}${truncate(this.#bar(now), (this.#sink.columns || 80) - 1)}`)
  }

  /** Removes the bar. */
  end(): void {
    if (this.#sink.isTTY) this.#sink.write(eraseLine)
    else this.#printStage()
  }

  #bar(now: number): string {
    const { total, unit, alreadyDone = 0 } = this.#options
    const done = alreadyDone + this.done
    const share = total === 0 ? 1 : Math.min(1, done / total)
    const rate = (this.done * 1000) / Math.max(1, now - this.#startedMs)
    const left = rate === 0 ? '' : `, ${formatDuration(Math.max(0, Math.ceil((total - done) / rate)))} left`
    return `${formatBar(share, barWidth)} ${Math.floor(share * 100)} %  ${this.#stage}  (${formatNumber(Math.round(rate))} ${unit} per second${left})`
  }

  #printStage(): void {
    if (this.#doneOfStage > 0 && !this.#sink.isTTY) this.#sink.write(`${this.#stage}: ${formatNumber(this.#doneOfStage)}\n`)
  }
}
