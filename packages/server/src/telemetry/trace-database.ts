import { actorText } from '../lib/actor.ts'
import { addSeconds } from '../lib/time.ts'
import type { Connection, ReadOptions, SqlValue } from '../storage/connection.ts'
import type { TracedCommand, WriteTrace } from '../storage/write-queue.ts'
import type { AttributeValue, Span } from './span.ts'
import type { Tracer } from './tracer.ts'

export type DatabaseSystem = 'sqlite' | 'postgresql'

/** Longer statements are cut. */
const statementLengthMax = 2000

/** A span for each read of a traced request. Values are not part of it. */
export function traceReads(connection: Connection, tracer: Tracer, system: DatabaseSystem): Connection {
  return {
    run: (text, values) => connection.run(text, values),
    runEach: (text, rows) => connection.runEach(text, rows),
    script: (text) => connection.script(text),
    async all<R>(text: string, values: readonly SqlValue[], options?: ReadOptions): Promise<R[]> {
      if (!tracer.current) return connection.all<R>(text, values, options)
      const span = tracer.start('read', {
        kind: 'client',
        attributes: { 'db.system.name': system, 'db.query.text': text.slice(0, statementLengthMax) },
      })
      try {
        const rows = await connection.all<R>(text, values, options)
        span.attributes['db.response.returned_rows'] = rows.length
        tracer.end(span)
        return rows
      } catch (error) {
        tracer.end(span, error)
        throw error
      }
    },
  }
}

interface Command extends TracedCommand {
  readonly parent: Span
  readonly actor: string
}

/**
 * Spans for writes. Commands of many requests share a transaction, so it is a child of the first of them and is linked from all others. A command's
 * span includes its time in the queue.
 */
export function traceWrites(tracer: Tracer, system: DatabaseSystem): WriteTrace {
  return {
    submitted(actor): Command | undefined {
      const parent = tracer.current
      return parent && { parent, actor: actorText(actor), submitted: tracer.now() }
    },
    committed(commands, total, seconds) {
      const [first, ...others] = commands as readonly Command[]
      if (!first) return
      const end = tracer.now()
      const attributes: Record<string, AttributeValue> = { 'millrace.batch.commands': total }
      const firstWrite = tracer.start('write', {
        parent: first.parent,
        start: first.submitted,
        attributes: { ...attributes, 'millrace.actor': first.actor },
      })
      const transaction = tracer.start('transaction', {
        kind: 'client',
        parent: firstWrite,
        start: addSeconds(end, -seconds),
        attributes: { 'db.system.name': system, ...attributes },
      })
      tracer.end(transaction, undefined, end)
      tracer.end(firstWrite, undefined, end)
      for (const { parent, actor, submitted } of others)
        tracer.end(
          tracer.start('write', { parent, start: submitted, attributes: { ...attributes, 'millrace.actor': actor }, links: [transaction] }),
          undefined,
          end,
        )
    },
  }
}
