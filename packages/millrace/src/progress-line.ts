import type { Watcher } from '@millrace/server/adopt/adopt.ts'
import { type Clock, type Micros, secondsBetween } from '@millrace/server/lib/time.ts'

interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

const barWidth = 30
/** More often than that nobody can read it. */
const redrawSeconds = 0.1

/** How far a copy has come: a bar that moves where somebody watches, a line for each noun elsewhere. */
export class ProgressLine implements Watcher {
  readonly #output: Output
  readonly #clock: Clock
  #total = 0
  #already = 0
  #began: Micros = 0
  #drawn: Micros = 0
  #noun = ''
  #ofNoun = 0
  copiedNow = 0

  constructor(output: Output, clock: Clock) {
    this.#output = output
    this.#clock = clock
  }

  begin(total: number, already: number): void {
    this.#total = total
    this.#already = already
    this.#began = this.#clock.now()
    this.#output.write(already > 0 ? `${number(total)} rows to copy, ${number(already)} of them are there\n` : `${number(total)} rows to copy\n`)
  }

  copied(noun: string, rows: number): void {
    if (noun !== this.#noun) {
      this.#tellNoun()
      this.#noun = noun
      this.#ofNoun = 0
    }
    this.#ofNoun += rows
    this.copiedNow += rows
    const now = this.#clock.now()
    if (!this.#output.isTTY || secondsBetween(this.#drawn, now) < redrawSeconds) return
    this.#drawn = now
    this.#output.write(`\r\u001b[2K${this.#bar(now)}`)
  }

  end(): void {
    if (this.#output.isTTY) this.#output.write('\r\u001b[2K')
    else this.#tellNoun()
  }

  #bar(now: Micros): string {
    const done = this.#already + this.copiedNow
    const share = this.#total === 0 ? 1 : Math.min(1, done / this.#total)
    const filled = Math.round(share * barWidth)
    const rate = this.copiedNow / Math.max(0.001, secondsBetween(this.#began, now))
    const left = rate === 0 ? '' : `, ${Math.ceil((this.#total - done) / rate)} s left`
    return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${Math.floor(share * 100)} %  ${this.#noun}  (${number(Math.round(rate))} rows a second${left})`
  }

  #tellNoun(): void {
    if (this.#noun !== '' && this.#ofNoun > 0 && !this.#output.isTTY) this.#output.write(`${this.#noun}: ${number(this.#ofNoun)}\n`)
  }
}

/** `12,345`. */
export const number = (value: number): string => String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',')
