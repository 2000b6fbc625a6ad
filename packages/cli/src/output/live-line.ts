import type { Io } from '../io.ts'
import { formatBar, formatNumber } from './number-text.ts'
import { toSingleLine, truncate } from './text-width.ts'

const clearLine = '\r\u001b[2K'

/** The last line of a terminal, which is replaced while work goes on. Without a terminal it shows nothing. */
export class LiveLine {
  readonly #io: Io
  #text = ''

  constructor(io: Io) {
    this.#io = io
  }

  get isShown(): boolean {
    return this.#io.stderr.isTTY === true
  }

  /** Replaces the line. An empty text removes it. */
  draw(text: string): void {
    if (!this.isShown || text === this.#text) return
    this.#text = text
    this.#io.stderr.write(clearLine + this.#fitted())
  }

  /** Runs a function that prints whole lines above the live line. */
  above(print: () => void): void {
    const isDrawn = this.isShown && this.#text !== ''
    if (isDrawn) this.#io.stderr.write(clearLine)
    print()
    if (isDrawn) this.#io.stderr.write(this.#fitted())
  }

  /** A line that wraps could not be replaced. */
  #fitted(): string {
    return truncate(toSingleLine(this.#text), (this.#io.stderr.columns || 80) - 1)
  }
}

const barWidth = 30

/** `██████░░░░ 60 %  300 of 500 runs` */
export function progressText(done: number, total: number, noun: string): string {
  const share = total === 0 ? 1 : done / total
  return `${formatBar(share, barWidth)} ${Math.floor(share * 100)} %  ${formatNumber(done)} of ${formatNumber(total)} ${noun}`
}
