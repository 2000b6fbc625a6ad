import { afterSeconds, monotonicSeconds } from '../lib/time.ts'
import type { PendingCommand } from './run-commands.ts'

interface HeldRowsOptions {
  /** Runs commands that do not wait for locks, settles them, and returns those whose row is still held. */
  readonly run: (commands: readonly PendingCommand[]) => Promise<readonly PendingCommand[]>
  /** Answers a command that has waited in vain. */
  readonly giveUp: (command: PendingCommand) => void
  /** Puts a command into the next batch. */
  readonly tryAgain: (command: PendingCommand) => void
  readonly onIdle: () => void
}

/** A row is mostly held by another transaction of this server, or of another one, that is about to commit. Only after this time the command waits apart. */
const tryAgainSeconds = 0.1

/** How long commands wait apart, and how often they are tried meanwhile. */
const waitSeconds = 3
const pollSeconds = 0.05

/**
 * Commands that wait for a row that somebody else holds, apart from all others. They are tried again and again, those of one row in one transaction. While they
 * wait, further commands for the row join them, so that they keep their order and cost no batch an attempt.
 */
export class HeldRows {
  readonly #options: HeldRowsOptions
  /** By row, with the time of the first attempt; a command whose row is unknown waits alone. */
  readonly #waiting = new Map<unknown, { readonly command: PendingCommand; readonly since: number }[]>()
  #isPolling = false

  constructor(options: HeldRowsOptions) {
    this.#options = options
  }

  get count(): number {
    let count = 0
    for (const commands of this.#waiting.values()) count += commands.length
    return count
  }

  /** Takes a command whose transaction left out this row, or has waited for an unknown one. */
  add(command: PendingCommand, row: string | undefined): void {
    command.isHeld = true
    if (row !== undefined && monotonicSeconds() - command.submittedAt < tryAgainSeconds) this.#options.tryAgain(command)
    else {
      this.#push(command, row ?? command)
      if (!this.#isPolling) void this.#poll()
    }
  }

  /** Takes a new command if others wait for one of its rows. */
  take(command: PendingCommand): boolean {
    if (this.#waiting.size === 0) return false
    const row = command.batch.rowsOf?.(command.input).find((each) => this.#waiting.has(each))
    if (row === undefined) return false
    this.#push(command, row)
    return true
  }

  #push(command: PendingCommand, row: unknown): void {
    const waiting = { command, since: monotonicSeconds() }
    const others = this.#waiting.get(row)
    if (others) others.push(waiting)
    else this.#waiting.set(row, [waiting])
  }

  async #poll(): Promise<void> {
    this.#isPolling = true
    while (this.#waiting.size > 0) {
      for (const [row, waiting] of this.#waiting) await this.#tryRow(row, waiting)
      if (this.#waiting.size > 0) await new Promise<void>((resolve) => afterSeconds(pollSeconds, resolve))
    }
    this.#isPolling = false
    this.#options.onIdle()
  }

  async #tryRow(row: unknown, waiting: { readonly command: PendingCommand; readonly since: number }[]): Promise<void> {
    const tried = [...waiting]
    const held = new Set(await this.#options.run(tried.map(({ command }) => command)))
    const latest = monotonicSeconds() - waitSeconds
    const kept = tried.filter(({ command, since }) => held.has(command) && since > latest)
    for (const { command, since } of tried) if (held.has(command) && since <= latest) this.#options.giveUp(command)
    // Others may have joined meanwhile.
    waiting.splice(0, tried.length, ...kept)
    if (waiting.length === 0) this.#waiting.delete(row)
  }
}
