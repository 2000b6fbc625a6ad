import { Worker } from 'node:worker_threads'
import { afterSeconds } from './time.ts'

export interface IdleThreadOptions {
  /** The module of the thread. It sends one message for each request that is asked, in their order. */
  readonly entry: URL
  /** In error messages after "The thread that". */
  readonly purpose: string
  /** Without requests for this time the thread ends. */
  readonly idleSeconds: number
  readonly data?: unknown
}

/** A thread that starts with the first request and ends when there is none for a while, so that an idle server does not have it. */
export class IdleThread<Request, Answer> {
  readonly #options: IdleThreadOptions
  #running: RunningThread<Answer> | undefined
  #stopIdleTimer = (): void => {}

  constructor(options: IdleThreadOptions) {
    this.#options = options
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Sends a request that has no answer. */
  post(request: Request): void {
    this.#send(request)
  }

  ask(request: Request): Promise<Answer> {
    const answer = Promise.withResolvers<Answer>()
    this.#send(request, answer)
    return answer.promise
  }

  /** Ends the thread. Requests without an answer fail. A later request starts another one. */
  async close(): Promise<void> {
    this.#stopIdleTimer()
    const running = this.#running
    this.#running = undefined
    await running?.worker.terminate()
  }

  #send(request: Request, answer?: PromiseWithResolvers<Answer>): void {
    this.#running ??= this.#start()
    this.#running.worker.postMessage(request)
    // Not before: a request that cannot be sent gets no answer.
    if (answer) this.#running.waiting.push(answer)
    this.#closeWhenIdle()
  }

  #start(): RunningThread<Answer> {
    const { entry, purpose, data } = this.#options
    // It needs no environment variables.
    const worker = new Worker(entry, { name: purpose, env: {}, execArgv: [], workerData: data })
    const running: RunningThread<Answer> = { worker, waiting: [] }
    let cause: unknown
    worker.unref()
    worker.on('message', (answer: Answer) => {
      running.waiting.shift()?.resolve(answer)
      if (this.#running === running) this.#closeWhenIdle()
    })
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', (code) => {
      if (this.#running === running) this.#running = undefined
      const error = new Error(`The thread that ${purpose} ended with code ${code}`, { cause })
      for (const { reject } of running.waiting) reject(error)
    })
    return running
  }

  #closeWhenIdle(): void {
    this.#stopIdleTimer()
    if (this.#running?.waiting.length === 0) this.#stopIdleTimer = afterSeconds(this.#options.idleSeconds, () => void this.close())
  }
}

interface RunningThread<Answer> {
  readonly worker: Worker
  /** Requests without an answer, in their order. */
  readonly waiting: PromiseWithResolvers<Answer>[]
}
