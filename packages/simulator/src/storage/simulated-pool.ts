import type { Bus } from '@millrace/server/lib/bus.ts'
import type { Connection, SqlValue, WriteConnection } from '@millrace/server/storage/connection.ts'
import type { Pool } from '@millrace/server/storage/pool.ts'
import type { Machine } from '../kernel/machine.ts'
import type { VirtualLoop } from '../kernel/virtual-loop.ts'
import { clusterDialect } from './cluster-dialect.ts'
import type { FaultRates } from './faults.ts'
import type { BoundStatement, Session, SimulatedDatabase } from './simulated-database.ts'
import { connectionLost, deadlock, diskFull, unreachable } from './storage-error.ts'

export interface PoolOptions {
  readonly loop: VirtualLoop
  readonly database: SimulatedDatabase
  /** The server that owns the pool. */
  readonly machine: Machine
  readonly faults: () => FaultRates
}

/** As in production. */
const writersMax = 2
/** A server gives up on a silent database after this time. */
const timeoutMicros = 10_000_000
const reconnectMicros = 1_000_000

/** Created once, because the stack of an error takes time. */
const closedByClient = connectionLost()

type Send = (deliver: (done: (error: unknown, results?: readonly unknown[]) => void) => void) => Promise<readonly unknown[]>

export interface SimulatedPool extends Pool {
  /** The server crashed: the database learns of it, and messages that are under way may still arrive before. */
  abandon(): void
}

/** The connections of one server. Every message takes time and can fail before or after it took effect. */
export function createPool(options: PoolOptions): SimulatedPool {
  const { loop, database, machine, faults } = options
  const sessions = new Set<Session>()
  let stopListening = () => {}

  const latency = () => (loop.chance(faults().stalled) ? loop.between(200_000, 6_000_000) : loop.between(100, 2000))

  function drawLoss(rates: FaultRates, kind: 'read' | 'write' | 'commit'): 'before' | 'after' | undefined {
    if (kind === 'commit' && loop.chance(rates.commitLost)) return loop.chance(0.5) ? 'before' : 'after'
    return loop.chance(rates.lostBefore) ? 'before' : loop.chance(rates.lostAfter) ? 'after' : undefined
  }

  /** Sends a message and waits for the response. */
  function exchange(session: Session, kind: 'read' | 'write' | 'commit', deliver: Parameters<Send>[0]): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      let isSettled = false
      const answer = (micros: number, error: unknown, results: readonly unknown[] = []) => {
        session.lastAnswer = Math.max(loop.now + micros, session.lastAnswer + 1)
        loop.after(session.lastAnswer - loop.now, machine, () => {
          if (isSettled) return
          isSettled = true
          cancelTimeout()
          if (error === undefined) resolve(results)
          else reject(error)
        })
      }
      const lose = (error: Error) => {
        database.close(session, error)
        answer(loop.between(100, 2000), error)
      }
      const cancelTimeout = loop.after(timeoutMicros, machine, () => {
        if (isSettled) return
        isSettled = true
        database.close(session, unreachable())
        reject(unreachable())
      })
      const rates = faults()
      const fault = session.ended ? 'ended' : drawLoss(rates, kind)
      session.lastArrival = Math.max(loop.now + latency(), session.lastArrival + 1)
      loop.after(session.lastArrival - loop.now, database.machine, () => {
        if (fault === 'ended' || session.ended) return answer(100, session.ended ?? connectionLost())
        if (fault === 'before') return lose(connectionLost())
        if (database.unreachableUntil > loop.now) return lose(unreachable())
        if (kind !== 'read' && (database.fullUntil > loop.now || loop.chance(rates.refused))) {
          database.breakTransaction(session)
          return answer(latency(), diskFull())
        }
        if (kind !== 'read' && loop.chance(rates.deadlock)) {
          database.breakTransaction(session)
          return answer(latency(), deadlock())
        }
        deliver((error, results) => {
          if (fault === 'after') lose(connectionLost())
          else answer(latency(), error, results)
        })
      })
    })
  }

  function openSession(): Session {
    const session = database.open(machine)
    sessions.add(session)
    return session
  }

  async function read(text: string, values: readonly SqlValue[], returnsRows: boolean): Promise<unknown> {
    const session = database.open(machine)
    return (await exchange(session, 'read', (done) => database.read(session, { text, values, returnsRows }, done)))[0]
  }

  const reads: Connection = {
    all: async <R>(text: string, values: readonly SqlValue[]) => (await read(text, values, true)) as R[],
    run: async (text, values) => (await read(text, values, false)) as number,
    runEach: () => Promise.reject(new Error('a read connection does not write')),
    script: () => Promise.reject(new Error('a read connection does not write')),
  }

  function createWriter(session: Session): WriteConnection {
    /** Statements that wait for the next message. */
    let later: BoundStatement[] = []
    let inLogOrder: BoundStatement[] = []
    async function send(text: string, values: readonly SqlValue[], returnsRows: boolean): Promise<unknown> {
      const statements = [...later, { text, values, returnsRows }]
      later = []
      return (await exchange(session, 'write', (done) => database.execute(session, statements, done))).at(-1)
    }
    return {
      get lost() {
        // The server learns of the end of a session when the message of the database arrives.
        return undefined
      },
      all: async <R>(text: string, values: readonly SqlValue[]) => (await send(text, values, true)) as R[],
      run: async (text, values) => (await send(text, values, false)) as number,
      async runEach(text, rows) {
        return (await send(`each ${rows.length} ${text}`, rows.flat() as SqlValue[], false)) as number
      },
      script: () => Promise.reject(new Error('the simulation runs no scripts')),
      async begin() {
        later = []
        inLogOrder = []
      },
      async runInLogOrder(text, values) {
        inLogOrder.push({ text, values, returnsRows: false })
      },
      async runLater(text, values) {
        later.push({ text, values, returnsRows: false })
      },
      async commit(notifications) {
        const statements = [...later, ...inLogOrder]
        if (!session.isInTransaction && !session.ended && statements.length === 0 && notifications.size === 0) return
        await exchange(session, 'commit', (done) => database.commit(session, statements, notifications, done))
      },
      async rollback() {
        later = []
        inLogOrder = []
        if (session.ended || !session.isInTransaction) return
        await exchange(session, 'read', (done) => {
          database.rollback(session).then(
            () => done(undefined),
            (error: unknown) => done(error),
          )
        })
      },
    }
  }

  async function withWriter<R>(use: (connection: WriteConnection) => Promise<R>): Promise<R> {
    const session = openSession()
    try {
      return await use(createWriter(session))
    } finally {
      sessions.delete(session)
      database.close(session, closedByClient)
    }
  }

  return {
    dialect: clusterDialect,
    reads,
    writersMax,
    withWriter,
    withMaintenance: withWriter,
    async listen(bus: Bus) {
      let isConnected = true
      const subscriber = {
        client: machine,
        receive(notifications: readonly string[]) {
          if (!isConnected) return
          if (loop.chance(faults().notificationsLost)) {
            isConnected = false
            loop.after(reconnectMicros + latency(), machine, () => {
              isConnected = true
              bus.notifyAll()
            })
            return
          }
          loop.after(latency(), machine, () => {
            for (const line of notifications) {
              const [topic = '', ...hint] = line.split(' ')
              bus.notifyFromRemote(topic, hint.join(' '))
            }
          })
        },
      }
      database.subscribers.add(subscriber)
      stopListening = () => database.subscribers.delete(subscriber)
    },
    explainStartError: () => undefined,
    warnings: [],
    abandon() {
      stopListening()
      for (const session of sessions) loop.after(loop.between(0, 3000), database.machine, () => database.close(session, connectionLost()))
    },
    async close() {
      stopListening()
      for (const session of sessions) database.close(session, connectionLost())
    },
  }
}
