import type { Connection, SqlValue } from '@millrace/server/storage/connection.ts'
import { appendEvents } from '@millrace/server/storage/sqlite/append-events.ts'
import type { Machine } from '../kernel/machine.ts'
import { startOfTime } from '../kernel/patch-globals.ts'
import type { VirtualLoop } from '../kernel/virtual-loop.ts'
import { appendStatement, clockStatement, parseEvents, splitRows } from './cluster-dialect.ts'
import type { SharedDatabase } from './shared-database.ts'
import { abortedTransaction, idleTimeout, lockTimeout } from './storage-error.ts'

/** As `idle_in_transaction_session_timeout` and `lock_timeout` of the server's sessions. */
const idleMicros = 900_000
const lockWaitMicros = 3_000_000

export interface BoundStatement {
  readonly text: string
  readonly values: readonly SqlValue[]
  readonly returnsRows: boolean
}

/** The database's view of one connection. */
export interface Session {
  readonly client: Machine
  /** Why the database ended the session. */
  ended: Error | undefined
  isInTransaction: boolean
  isAborted: boolean
  /** Counts messages. The idle timer of an earlier message has no effect. */
  messages: number
  /** Messages of one connection arrive and are answered in order: the times of the last ones. */
  lastArrival: number
  lastAnswer: number
  /** Messages that wait until the current one is answered. */
  readonly queue: (() => void)[]
  isExecuting: boolean
}

interface Waiter {
  readonly session: Session
  readonly grant: () => void
  readonly cancelTimeout: () => void
}

/** Receives the notifications of commits. */
export interface Subscriber {
  readonly client: Machine
  receive(notifications: readonly string[]): void
}

/**
 * One database for all servers. Transactions run one after the other: the first statement takes the only lock. This is a legal order of PostgreSQL, but not
 * every one of them. Reads see what is committed. A session that is idle in a transaction is ended, as in production.
 */
export class SimulatedDatabase {
  readonly #loop: VirtualLoop
  readonly #shared: SharedDatabase
  readonly machine: Machine
  readonly subscribers = new Set<Subscriber>()
  #holder: Session | undefined
  #waiters: Waiter[] = []
  #isGranting = false
  /** No message passes before this time. */
  unreachableUntil = 0
  /** Writes are rejected before this time. */
  fullUntil = 0
  commits = 0
  /** Called after each commit, before anybody learns of it. */
  onCommit: () => void = () => {}

  constructor(loop: VirtualLoop, shared: SharedDatabase) {
    this.#loop = loop
    this.#shared = shared
    this.machine = loop.createMachine('database')
  }

  /** The clock of the database, which is the true time. */
  now(): number {
    return startOfTime + this.#loop.now
  }

  open(client: Machine): Session {
    return {
      client,
      ended: undefined,
      isInTransaction: false,
      isAborted: false,
      messages: 0,
      lastArrival: 0,
      lastAnswer: 0,
      queue: [],
      isExecuting: false,
    }
  }

  /** Runs the statements of one message in a transaction that the first of them begins. */
  execute(session: Session, statements: readonly BoundStatement[], done: (error: unknown, results: readonly unknown[]) => void): void {
    session.messages += 1
    this.#loop.history.note(session.client.name, (statements.at(-1) as BoundStatement).text.slice(0, 60))
    this.#whenLocked(session, done, async () => {
      if (session.isAborted) throw abortedTransaction()
      return this.#run(session, statements)
    })
  }

  /** Runs the remaining statements and commits. Calls back with undefined for an empty transaction. */
  commit(session: Session, statements: readonly BoundStatement[], notifications: ReadonlySet<string>, done: (error: unknown) => void): void {
    session.messages += 1
    this.#whenLocked(session, done, async () => {
      if (session.isAborted) {
        await this.#end(session, 'rollback')
        throw new Error('The transaction was broken and has been rolled back')
      }
      try {
        await this.#run(session, statements)
      } catch (error) {
        await this.#end(session, 'rollback')
        throw error
      }
      await this.#end(session, 'commit')
      this.commits += 1
      this.#loop.history.note(session.client.name, `commit ${this.commits}, ${statements.length} statements, ${notifications.size} notifications`)
      this.onCommit()
      for (const subscriber of this.subscribers) if (subscriber.client !== session.client) subscriber.receive([...notifications])
      return []
    })
  }

  async rollback(session: Session): Promise<void> {
    session.messages += 1
    if (session.isInTransaction) await this.#end(session, 'rollback')
  }

  /** A failed statement breaks its transaction, as on PostgreSQL. */
  breakTransaction(session: Session): void {
    session.isAborted = session.isInTransaction
  }

  /** Reads committed data. */
  read(session: Session, statement: BoundStatement, done: (error: unknown, results: readonly unknown[]) => void): void {
    this.#loop.history.note(session.client.name, statement.text.slice(0, 60))
    this.#runOne(this.#shared.reader, statement).then(
      (rows) => done(undefined, [rows]),
      (error: unknown) => done(error, []),
    )
  }

  /** The client is gone: its transaction is rolled back. */
  close(session: Session, reason: Error): void {
    session.ended ??= reason
    this.#waiters = this.#waiters.filter((waiter) => waiter.session !== session)
    if (session.isInTransaction) void this.#end(session, 'rollback')
  }

  /** Runs the messages of a session one after the other. */
  #whenLocked(session: Session, answer: (error: unknown, results: readonly unknown[]) => void, run: () => Promise<readonly unknown[]>): void {
    const execute = () => {
      session.isExecuting = true
      this.#lockAndRun(session, run, (error, results) => {
        session.isExecuting = false
        answer(error, results)
        session.queue.shift()?.()
      })
    }
    if (session.isExecuting) session.queue.push(execute)
    else execute()
  }

  #lockAndRun(session: Session, run: () => Promise<readonly unknown[]>, done: (error: unknown, results: readonly unknown[]) => void): void {
    const start = () => {
      const message = session.messages
      run().then(
        (results) => {
          this.#watchIdle(session, message)
          done(undefined, results)
        },
        (error: unknown) => {
          this.breakTransaction(session)
          this.#watchIdle(session, message)
          done(error, [])
        },
      )
    }
    const begin = () => {
      this.#holder = session
      session.isInTransaction = true
      session.isAborted = false
      this.#shared.writer.run('begin', []).then(start, (error: unknown) => done(error, []))
    }
    if (session.ended) done(session.ended, [])
    else if (session.isInTransaction) start()
    else if (!this.#holder && this.#waiters.length === 0) begin()
    else this.#wait(session, begin, () => done(lockTimeout(), []))
  }

  #wait(session: Session, grant: () => void, onTimeout: () => void): void {
    const cancelTimeout = this.#loop.after(lockWaitMicros, this.machine, () => {
      this.#waiters = this.#waiters.filter((other) => other !== waiter)
      onTimeout()
    })
    const waiter: Waiter = { session, grant, cancelTimeout }
    this.#waiters.push(waiter)
    this.#grantLater()
  }

  #watchIdle(session: Session, message: number): void {
    if (!session.isInTransaction) return
    this.#loop.after(idleMicros, this.machine, () => {
      if (session.messages === message && session.isInTransaction) this.close(session, idleTimeout())
    })
  }

  async #end(session: Session, how: 'commit' | 'rollback'): Promise<void> {
    session.isInTransaction = false
    session.isAborted = false
    await this.#shared.writer.run(how, [])
    this.#holder = undefined
    this.#grantLater()
  }

  /** The seed decides who gets the lock. */
  #grantLater(): void {
    if (this.#isGranting || this.#waiters.length === 0) return
    this.#isGranting = true
    this.#loop.after(1, this.machine, () => {
      this.#isGranting = false
      if (this.#holder) return
      const [waiter] = this.#waiters.splice(this.#loop.integer(0, this.#waiters.length - 1), 1)
      waiter?.cancelTimeout()
      waiter?.grant()
      this.#grantLater()
    })
  }

  async #run(session: Session, statements: readonly BoundStatement[]): Promise<unknown[]> {
    const results: unknown[] = []
    for (const statement of statements) {
      if (this.#holder !== session) throw abortedTransaction()
      results.push(await this.#runOne(this.#shared.writer, statement))
    }
    return results
  }

  async #runOne(connection: Connection, { text, values, returnsRows }: BoundStatement): Promise<unknown> {
    if (text === clockStatement) return [{ time: this.now() }]
    if (text === appendStatement) return appendEvents(connection, parseEvents(values))
    const each = splitRows(text, values)
    if (each) return connection.runEach(each.text, each.rows)
    return returnsRows ? connection.all(text, values) : connection.run(text, values)
  }
}
