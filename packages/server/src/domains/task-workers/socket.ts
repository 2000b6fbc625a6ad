import { Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { writeJson } from '../../lib/json.ts'
import { type Peer, SocketRejection, type SocketRoute } from '../../lib/socket.ts'
import { afterSeconds } from '../../lib/time.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { acknowledgeDeferred, claimDeferred, hasDeferred, releaseDeferred } from '../task-runs/deferred-tasks.ts'
import { type TaskRunRow, toTaskRunResponse } from '../task-runs/store.ts'
import { taskWorkers } from './registry.ts'

/** The code that clients of this socket know for a message that does not belong. */
const protocolViolationCode = 4001

/** Nobody wakes us for what another server has queued, nor for a claim that ran out. */
const pollEverySeconds = 5
const pollEverySecondsShared = 1

export const taskWorkerSocket = (context: ServerContext): SocketRoute => ({
  path: '/task_runs/subscriptions/scheduled',
  scope: 'task_runs:run',
  serve: (peer) => serveTaskWorker(context, peer),
})

const Subscribe = Type.Object({
  type: Type.Literal('subscribe'),
  keys: Type.Array(Text, { minItems: 1 }),
  client_id: Type.String({ minLength: 1, 'x-text': true }),
})

/** Hands deferred task runs to a worker one at a time: the next one comes when the last was acknowledged. */
async function serveTaskWorker(context: ServerContext, peer: Peer): Promise<void> {
  const first = await peer.next()
  if (first === undefined) return
  const reader = peer.read(Subscribe, await jsonOf(peer, first))
  if ('refusal' in reader)
    throw new SocketRejection(protocolViolationCode, `Expected a "subscribe" message with keys and client_id (${reader.refusal})`)
  const { keys, client_id } = reader.value
  const worker = taskWorkers(context).add(client_id, keys)
  const bell = wakeSignal(context)
  try {
    for (let answer = peer.next(); ; ) {
      const rung = bell.next()
      const run = (await hasDeferred(context.reads, keys, context.clock.now()))
        ? await context.writeQueue.submit(claimDeferred(keys, context.clock.now()))
        : undefined
      if (!run) {
        const heard = await Promise.race([answer.then((message) => ({ message })), rung])
        if (!heard) continue
        if (heard.message === undefined || (await typeOf(peer, heard.message)) === 'quit') return
        // Nobody asked for it: clients that acknowledge once too often, or say that they are alive, are no reason to part.
        answer = peer.next()
        continue
      }
      if (!(await deliver(context, peer, run, answer))) return
      worker.touch()
      answer = peer.next()
    }
  } finally {
    bell.stop()
    worker.remove()
  }
}

/** Whether the worker wants more; a run that it did not acknowledge goes back. */
async function deliver({ writeQueue, clock }: ServerContext, peer: Peer, run: TaskRunRow, answer: Promise<string | undefined>): Promise<boolean> {
  peer.send(writeJson(toTaskRunResponse(run, clock.now())))
  const message = await answer
  const type = message === undefined ? undefined : await typeOf(peer, message)
  if (type === 'ack') {
    await writeQueue.submit(acknowledgeDeferred(run))
    return true
  }
  await writeQueue.submit(releaseDeferred(run))
  if (message === undefined || type === 'quit') return false
  throw new SocketRejection(protocolViolationCode, 'Expected an "ack" message')
}

const typeOf = async (peer: Peer, message: string): Promise<unknown> => ((await jsonOf(peer, message)) as { type?: unknown } | null | undefined)?.type

async function jsonOf(peer: Peer, message: string): Promise<unknown> {
  try {
    return await peer.parse(message)
  } catch {
    return undefined
  }
}

/** Rings when something may have been queued; once it has rung it has to be asked anew. */
function wakeSignal({ bus, reads }: ServerContext) {
  let ring: () => void = () => {}
  let stopLooking: () => void
  const look = () => {
    ring()
    stopLooking = afterSeconds(reads.dialect.isShared ? pollEverySecondsShared : pollEverySeconds, look)
  }
  look()
  const deaf = bus.on('deferred-tasks', () => ring())
  return {
    next: () =>
      new Promise<undefined>((resolve) => {
        ring = () => resolve(undefined)
      }),
    stop() {
      deaf()
      stopLooking()
    },
  }
}
