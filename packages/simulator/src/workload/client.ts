import type { Request } from '../cluster/dispatch.ts'
import type { Network, Reply } from '../cluster/network.ts'
import type { Machine } from '../kernel/machine.ts'
import type { VirtualLoop } from '../kernel/virtual-loop.ts'

/** Waits in virtual time. */
export const sleep = (seconds: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, seconds * 1000))

/** A program that uses the API. It ends when its machine does. */
export class Client {
  readonly loop: VirtualLoop
  readonly machine: Machine
  readonly #network: Network

  constructor(loop: VirtualLoop, network: Network, name: string) {
    this.loop = loop
    this.machine = loop.createMachine(name)
    this.#network = network
  }

  /** Runs a program on this machine. */
  run(program: () => Promise<void>): void {
    void this.loop.as(this.machine, program)
  }

  kill(): void {
    this.loop.history.note(this.machine.name, 'is killed')
    this.machine.isAlive = false
  }

  call(request: Request): Promise<Reply> {
    return this.#network.call(this.machine, request)
  }

  /** Repeats a request until a server answers it, as the clients of the API do. The request must be safe to repeat. */
  async retry(request: Request): Promise<Reply> {
    for (;;) {
      const reply = await this.call(request)
      if (reply.status !== 0 && reply.status !== 503) return reply
      await sleep(this.loop.between(0.2, 2))
    }
  }

  newId(): string {
    const hex = Array.from({ length: 4 }, () => this.loop.integer(0, 0xffffffff).toString(16).padStart(8, '0')).join('')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  }
}
