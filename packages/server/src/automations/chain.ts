import type { ResourceLabels } from '../lib/event-record.ts'
import { parseUuid } from '../lib/ids.ts'
import type { Micros } from '../lib/time.ts'
import { type Db, statement, type Tx } from '../storage/database.ts'
import type { Row } from '../storage/tables.ts'

/**
 * The automations whose actions led to an event, in their order; empty for an event that no automation caused. A chain never meets the same automation
 * twice, and ends at a length of five.
 *
 * What an automation says of its own acting tells the chain in a label. Events that its actions cause in a domain look like any other: their chain is kept
 * beside the log. A flow run that an action created names the automation as its creator in all of its events; where there are more, the run has a chain too.
 */
export type Chain = readonly string[]

export const chainLengthMax = 5

/** What automations say about themselves when they act. */
const selfEmittedEvents = /^prefect\.automation\.(triggered|resolved|action\.)/

const chainLabel = 'millrace.automation-chain'
/** How long the chain is. */
const depthLabel = 'millrace.automation-depth'

interface ChainEvent {
  readonly id: string
  readonly event: string
  readonly resource: ResourceLabels
  readonly related: readonly ResourceLabels[]
}

const automationPrefix = 'prefect.automation.'
const runPrefix = 'prefect.flow-run.'

export const automationResource = (id: string): string => `${automationPrefix}${id}`

/** The labels of what the last automation of a chain says. One alone is told by the resource. */
export const chainLabels = (chain: Chain): ResourceLabels =>
  chain.length > 1 ? { [depthLabel]: String(chain.length), [chainLabel]: chain.join(' ') } : {}

/** Whether an automation would answer itself. */
export const isSelfEmitted = ({ event, resource }: Pick<ChainEvent, 'event' | 'resource'>, id: string): boolean =>
  selfEmittedEvents.test(event) && resource['prefect.resource.id'] === automationResource(id)

/** Subjects under which the chain of an event may be kept. */
export const chainSubjects = (event: ChainEvent): string[] => [event.id, ...(creatorOf(event) === undefined ? [] : flowRunIdsOf(event))]

/** The chain of an event, with those that are kept for its subjects. */
export function chainOf(event: ChainEvent, saved: ReadonlyMap<string, Chain>): Chain {
  return [...new Set([...chainFromEvent(event), ...chainSubjects(event).flatMap((subject) => saved.get(subject) ?? [])])]
}

function chainFromEvent(event: ChainEvent): string[] {
  if (!selfEmittedEvents.test(event.event)) return [creatorOf(event) ?? []].flat()
  const own = (event.resource['prefect.resource.id'] as string).slice(automationPrefix.length)
  const told = event.resource[chainLabel]?.split(' ') ?? []
  return [...told.filter((id) => id !== own), own]
}

/** The automation that created the flow run which an event is about. */
function creatorOf({ related }: ChainEvent): string | undefined {
  const creator = related.find((one) => one['prefect.resource.role'] === 'creator' && one['prefect.resource.id']?.startsWith(automationPrefix))
  return creator?.['prefect.resource.id']?.slice(automationPrefix.length)
}

const flowRunIdsOf = ({ resource }: ChainEvent): string[] => {
  const id = resource['prefect.resource.id'] as string
  const run = id.startsWith(runPrefix) ? parseUuid(id.slice(runPrefix.length)) : undefined
  return run === undefined ? [] : [run]
}

type ChainRow = Row<'automation_chain'>

const bySubjects = statement((dialect) => `select subject, chain from automation_chain where ${dialect.inList('subject', '$1', 'uuid')}`)
const sweep = statement('delete from automation_chain where expires <= $1')

export async function readChains(db: Db, subjects: readonly string[]): Promise<Map<string, Chain>> {
  if (subjects.length === 0) return new Map()
  const rows = await db.all<Pick<ChainRow, 'subject' | 'chain'>>(bySubjects, [db.dialect.list([...new Set(subjects)])])
  return new Map(rows.map(({ subject, chain }) => [subject, JSON.parse(chain) as string[]]))
}

/** The evaluator has seen an event within a day, and a run that was created a month ago has gone its way. */
const eventChainMicros = 86_400 * 1_000_000
const runChainMicros = 30 * eventChainMicros

/** Keeps the chain of what an action has caused, in its transaction. */
export async function saveChain(tx: Tx, chain: Chain, events: readonly ChainEvent[], now: Micros): Promise<void> {
  const text = JSON.stringify(chain)
  const rows = new Map<string, ChainRow>()
  for (const event of events) {
    rows.set(event.id, { subject: event.id, chain: text, expires: now + eventChainMicros })
    // A run that names its creator needs no more, unless others led to it.
    if (chain.length > 1 && creatorOf(event) === chain.at(-1)) {
      for (const run of flowRunIdsOf(event)) rows.set(run, { subject: run, chain: text, expires: now + runChainMicros })
    }
  }
  await tx.insert('automation_chain', [...rows.values()], { onConflict: 'on conflict (subject) do nothing' })
}

export const sweepChains = (tx: Tx, now: Micros): Promise<number> => tx.run(sweep, [now])
