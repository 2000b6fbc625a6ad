import type { ResourceLabels } from '../lib/event-record.ts'
import { parseUuid } from '../lib/ids.ts'
import type { Micros } from '../lib/time.ts'
import { type Db, statement, type Tx } from '../storage/database.ts'
import type { Row } from '../storage/tables.ts'

/**
 * The ids of the automations whose actions led to an event, oldest first. Empty for an event that no automation caused. A chain contains an automation at
 * most once and has at most five.
 *
 * Events that an automation emits about itself carry the chain in a label. Events that its actions cause in a domain carry none, so their chain is stored
 * in `automation_chain`. The events of a flow run that an action created name the automation as creator; a longer chain is stored by flow run id.
 */
export type Chain = readonly string[]

const chainLengthMax = 5

/** Events that an automation emits when it fires or acts. */
const selfEmittedEvents = /^prefect\.automation\.(triggered|resolved|action\.)/

const chainLabel = 'millrace.automation-chain'
/** The length of the chain. */
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

/** Labels for events that the last automation of the chain emits. A chain of one needs none: the event's resource names it. */
export const chainLabels = (chain: Chain): ResourceLabels =>
  chain.length > 1 ? { [depthLabel]: String(chain.length), [chainLabel]: chain.join(' ') } : {}

/** Whether the automation itself emitted the event. It must not react to it. */
export const isSelfEmitted = ({ event, resource }: Pick<ChainEvent, 'event' | 'resource'>, id: string): boolean =>
  selfEmittedEvents.test(event) && resource['prefect.resource.id'] === automationResource(id)

/** The ids under which the chain of an event may be stored: the event and its flow run. */
const chainSubjects = (event: ChainEvent): string[] => [event.id, ...(creatorOf(event) === undefined ? [] : flowRunIdsOf(event))]

function chainOf(event: ChainEvent, saved: ReadonlyMap<string, Chain>): Chain {
  return [...new Set([...chainFromEvent(event), ...chainSubjects(event).flatMap((subject) => saved.get(subject) ?? [])])]
}

function chainFromEvent(event: ChainEvent): string[] {
  if (!selfEmittedEvents.test(event.event)) return [creatorOf(event) ?? []].flat()
  const emitter = (event.resource['prefect.resource.id'] as string).slice(automationPrefix.length)
  const labelled = event.resource[chainLabel]?.split(' ') ?? []
  return [...labelled.filter((id) => id !== emitter), emitter]
}

/** The automation that created the event's flow run. */
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

async function readChains(db: Db, subjects: readonly string[]): Promise<Map<string, Chain>> {
  if (subjects.length === 0) return new Map()
  const rows = await db.all<Pick<ChainRow, 'subject' | 'chain'>>(bySubjects, [db.dialect.list([...new Set(subjects)])])
  return new Map(rows.map(({ subject, chain }) => [subject, JSON.parse(chain) as string[]]))
}

/** The chains of the events, read in one query. */
export async function readEventChains<E extends ChainEvent>(db: Db, events: readonly E[]): Promise<Map<E, Chain>> {
  const saved = await readChains(db, events.flatMap(chainSubjects))
  return new Map(events.map((event) => [event, chainOf(event, saved)]))
}

/** Whether the automation may fire for an event with this chain. */
export const canExtendChain = (chain: Chain, automationId: string): boolean => chain.length < chainLengthMax && !chain.includes(automationId)

/** The evaluator reads an event within a day. A flow run is assumed to end within 30 days. */
const eventChainMicros = 86_400 * 1_000_000
const runChainMicros = 30 * eventChainMicros

/** Stores the chain of the events that an action caused, in the transaction of the action. */
export async function saveChain(tx: Tx, chain: Chain, events: readonly ChainEvent[], now: Micros): Promise<void> {
  const text = JSON.stringify(chain)
  const rows = new Map<string, ChainRow>()
  for (const event of events) {
    rows.set(event.id, { subject: event.id, chain: text, expires: now + eventChainMicros })
    // The creator label covers a chain of one.
    if (chain.length > 1 && creatorOf(event) === chain.at(-1)) {
      for (const run of flowRunIdsOf(event)) rows.set(run, { subject: run, chain: text, expires: now + runChainMicros })
    }
  }
  await tx.insert('automation_chain', [...rows.values()], { onConflict: 'on conflict (subject) do nothing' })
}

export const sweepChains = (tx: Tx, now: Micros): Promise<number> => tx.run(sweep, [now])
