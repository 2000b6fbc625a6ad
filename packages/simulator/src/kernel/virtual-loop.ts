import { AsyncLocalStorage } from 'node:async_hooks'
import { seededRandom } from '@millrace/server/lib/random.ts'
import { EventQueue, type QueuedEvent } from './event-queue.ts'
import { History } from './history.ts'
import { Machine } from './machine.ts'

interface LoopEvent extends QueuedEvent {
  readonly owner: Machine
  readonly run: () => void
  isCancelled: boolean
}

/** The machine whose code runs. Timers and promises inherit it. */
const currentMachine = new AsyncLocalStorage<Machine>()

const realSetImmediate = setImmediate

/**
 * The event loop of the simulation. It owns the virtual time: a step takes the earliest event, runs its callback and everything that becomes ready
 * through promises, and no time passes meanwhile. Events of the same time run in an order that the seed decides.
 */
export class VirtualLoop {
  readonly #queue = new EventQueue<LoopEvent>()
  readonly #next: () => number
  readonly history: History
  #sequence = 0
  /** Virtual microseconds since the start. */
  now = 0
  steps = 0
  /** Owns what belongs to no process: cables and supervisors. */
  readonly network = new Machine('network', 0)

  constructor(seed: number, keepsLines: boolean) {
    this.#next = seededRandom(seed).next
    this.history = new History(() => this.now, keepsLines)
  }

  /** Uniform in [0, 1). */
  readonly random = (): number => this.#next()

  chance(probability: number): boolean {
    return probability > 0 && this.#next() < probability
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.#next()
  }

  integer(low: number, high: number): number {
    return low + Math.floor((high - low + 1) * this.#next())
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#next() * items.length)] as T
  }

  get machine(): Machine | undefined {
    return currentMachine.getStore()
  }

  createMachine(name: string): Machine {
    return new Machine(name, this.now)
  }

  /** Calls back after some virtual microseconds, unless the machine is dead by then. Returns a function that cancels the call. */
  after(micros: number, owner: Machine, run: () => void): () => void {
    this.#sequence += 1
    const event: LoopEvent = {
      at: this.now + Math.max(0, Math.round(micros)),
      order: this.#next(),
      sequence: this.#sequence,
      owner,
      run,
      isCancelled: false,
    }
    this.#queue.push(event)
    return () => {
      event.isCancelled = true
    }
  }

  /** Runs code as a machine. */
  as<T>(machine: Machine, run: () => T): T {
    return currentMachine.run(machine, run)
  }

  /** Runs one event. Returns false if there is none before the given time. */
  async step(until: number): Promise<boolean> {
    for (;;) {
      const event = this.#queue.pop()
      if (event === undefined) return false
      if (event.at > until) {
        this.#queue.push(event)
        this.now = until
        return false
      }
      const { owner } = event
      if (event.isCancelled || !owner.isAlive) continue
      if (owner.frozenUntil > event.at) {
        this.#queue.push({ ...event, at: owner.frozenUntil, order: this.#next() })
        continue
      }
      this.now = Math.max(this.now, event.at)
      this.steps += 1
      currentMachine.run(owner, event.run)
      await settle()
      return true
    }
  }
}

/** Resolves when no promise reaction is left. Only real input and output could still be pending, and the simulation has none. */
export const settle = (): Promise<void> => new Promise((resolve) => void realSetImmediate(resolve))
