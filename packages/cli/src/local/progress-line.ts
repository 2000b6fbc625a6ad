import type { AdoptListener } from '@millrace/server/adopt/adopt.ts'
import { type Clock, type Micros, secondsBetween } from '@millrace/server/lib/time.ts'

interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

const barWidth = 30
/** Minimum time between two redraws. */
const redrawSeconds = 0.1

/** Shows the progress of a copy: a bar on a terminal, otherwise one line per noun. */
export class ProgressLine implements AdoptListener {
  readonly #output: Output
  readonly #clock: Clock
  #total = 0
  #alreadyCopied = 0
  #startedAt: Micros = 0
  #drawnAt: Micros = 0
  #noun = ''
  #copiedOfNoun = 0
  copiedNow = 0

  constructor(output: Output, clock: Clock) {
    this.#output = output
    this.#clock = clock
  }

  onStart(total: number, already: number): void {
    this.#total = total
    this.#alreadyCopied = already
    this.#startedAt = this.#clock.now()
    this.#output.write(
      already > 0 ? `${formatNumber(total)} rows to copy, ${formatNumber(already)} already copied\n` : `${formatNumber(total)} rows to copy\n`,
    )
  }

  onCopied(noun: string, rows: number): void {
    if (noun !== this.#noun) {
      this.#printNoun()
      this.#noun = noun
      this.#copiedOfNoun = 0
    }
    this.#copiedOfNoun += rows
    this.copiedNow += rows
    const now = this.#clock.now()
    if (!this.#output.isTTY || secondsBetween(this.#drawnAt, now) < redrawSeconds) return
    this.#drawnAt = now
    this.#output.write(`\r\u001b[2K${this.#bar(now)}`)
  }

  end(): void {
    if (this.#output.isTTY) this.#output.write('\r\u001b[2K')
    else this.#printNoun()
  }

  #bar(now: Micros): string {
    const done = this.#alreadyCopied + this.copiedNow
    const share = this.#total === 0 ? 1 : Math.min(1, done / this.#total)
    const filled = Math.round(share * barWidth)
    const rate = this.copiedNow / Math.max(0.001, secondsBetween(this.#startedAt, now))
    const left = rate === 0 ? '' : `, ${Math.ceil((this.#total - done) / rate)} s left`
    return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${Math.floor(share * 100)} %  ${this.#noun}  (${formatNumber(Math.round(rate))} rows per second${left})`
  }

  #printNoun(): void {
    if (this.#noun !== '' && this.#copiedOfNoun > 0 && !this.#output.isTTY) this.#output.write(`${this.#noun}: ${formatNumber(this.#copiedOfNoun)}\n`)
  }
}

/** `12,345`. */
export const formatNumber = (value: number): string => String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',')
