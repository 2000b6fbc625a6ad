import type { Machine } from '../kernel/machine.ts'
import type { VirtualLoop } from '../kernel/virtual-loop.ts'
import type { FaultRates } from '../storage/faults.ts'
import type { Request, Response } from './dispatch.ts'
import type { SimulatedServer } from './simulated-server.ts'

/** Status 0: the client does not know whether the request took effect. */
export type Reply = Response

/** Clients give up after this time. */
const timeoutMicros = 30_000_000

const unknownOutcome: Reply = { status: 0, body: null }

/** A request that a server handles. */
interface OpenRequest {
  readonly request: Request
  readonly server: string
  readonly machine: Machine | undefined
  readonly since: number
}

/** Sends the requests of clients to any server, with delay and loss. */
export class Network {
  readonly #loop: VirtualLoop
  readonly #servers: readonly SimulatedServer[]
  readonly #faults: () => FaultRates
  readonly openRequests = new Set<OpenRequest>()
  /** Called with every response that a server sends, also if it gets lost. */
  onResponse: (server: string, request: Request, response: Response) => void = () => {}

  constructor(loop: VirtualLoop, servers: readonly SimulatedServer[], faults: () => FaultRates) {
    this.#loop = loop
    this.#servers = servers
    this.#faults = faults
  }

  call(client: Machine, request: Request): Promise<Reply> {
    const loop = this.#loop
    const server = loop.pick(this.#servers)
    const open: OpenRequest = { request, server: server.name, machine: undefined, since: loop.now }
    const controller = new AbortController()
    return new Promise((resolve) => {
      let isSettled = false
      const settle = (micros: number, reply: Reply) => {
        loop.after(micros, client, () => {
          if (isSettled) return
          isSettled = true
          cancelTimeout()
          loop.history.note(client.name, `${request.method} ${request.path} at ${server.name}: ${describeReply(reply)}`)
          resolve(reply)
        })
      }
      const cancelTimeout = loop.after(timeoutMicros, client, () => {
        controller.abort()
        settle(0, unknownOutcome)
      })
      if (loop.chance(this.#faults().requestLost)) return settle(loop.between(1000, 5_000_000), unknownOutcome)
      loop.after(loop.between(100, 3000), loop.network, () => {
        const machine = server.machine
        // A frozen server accepts the connection and answers later.
        const arrive = () => {
          const handled = server.machine === machine ? server.handle(request, controller.signal) : undefined
          if (!handled) return settle(1000, unknownOutcome)
          Object.assign(open, { machine: handled.machine, since: loop.now })
          this.openRequests.add(open)
          handled.response.then(
            (response) => {
              this.openRequests.delete(open)
              this.#answer(server, request, response, settle)
            },
            (error: unknown) => {
              this.openRequests.delete(open)
              this.#answer(server, request, { status: 500, body: { message: String((error as Error)?.stack ?? error) } }, settle)
            },
          )
          this.#watchCrash(handled.machine, () => isSettled, settle)
        }
        if (machine && machine.frozenUntil > loop.now) loop.after(0, machine, arrive)
        else arrive()
      })
    })
  }

  /** A crash resets the connections. */
  #watchCrash(machine: Machine, isSettled: () => boolean, settle: (micros: number, reply: Reply) => void): void {
    const watch = () => {
      if (isSettled()) return
      if (!machine.isAlive) settle(1000, unknownOutcome)
      else this.#loop.after(1_000_000, this.#loop.network, watch)
    }
    this.#loop.after(1_000_000, this.#loop.network, watch)
  }

  #answer(server: SimulatedServer, request: Request, response: Response, settle: (micros: number, reply: Reply) => void): void {
    this.onResponse(server.name, request, response)
    const isLost = this.#loop.chance(this.#faults().responseLost)
    settle(isLost ? this.#loop.between(1000, 5_000_000) : this.#loop.between(100, 3000), isLost ? unknownOutcome : response)
  }
}

/** The status, and the decision about a proposed state. */
const describeReply = ({ status, body }: Reply): string =>
  typeof body?.status === 'string' ? `${status} ${body.status} ${body.details?.reason ?? ''}` : String(status)
