import type { EventRecord, ResourceLabels } from './event-record.ts'

/** Who asks for a command. Every command has one, down to the states and events that it causes. */
export interface Actor {
  readonly kind: 'user' | 'service_account' | 'automation' | 'service' | 'anonymous'
  /** Null for an actor without a row of its own. */
  readonly id: string | null
  readonly name: string
}

/** A client of a server that asks for no credentials. */
export const anonymous: Actor = { kind: 'anonymous', id: null, name: 'anonymous' }

/** A part of the server that acts by itself. */
export const serviceActor = (name: string): Actor => ({ kind: 'service', id: null, name })

export const automationActor = ({ id, name }: { readonly id: string; readonly name: string }): Actor => ({ kind: 'automation', id, name })

/** Longer names are cut where they are stored. */
const nameCharactersMax = 200

/** As columns, traces and logs hold it: `user::miller`, `service::scheduler`, `automation:ID:NAME`. */
export const actorText = ({ kind, id, name }: Actor): string =>
  kind === 'anonymous' ? kind : `${kind}:${id ?? ''}:${name.slice(0, nameCharactersMax).toWellFormed()}`

/** An anonymous one is not stored, so that it takes no room. */
export const actorColumn = (actor: Actor): string | null => (actor.kind === 'anonymous' ? null : actorText(actor))

/** Only who has credentials: what the server does by itself has the same events as in Prefect. */
function actorResource({ kind, id, name }: Actor): ResourceLabels | undefined {
  if (kind !== 'user' && kind !== 'service_account') return undefined
  return {
    'prefect.resource.id': `millrace.${kind.replace('_', '-')}.${id ?? name.slice(0, nameCharactersMax).toWellFormed()}`,
    'prefect.resource.role': 'actor',
    'prefect.resource.name': name.slice(0, nameCharactersMax).toWellFormed(),
  }
}

/** Adds the actor to the events of its command from an index on. Events that a client sent stay as they are. */
export function addActor(events: EventRecord[], from: number, actor: Actor): void {
  const resource = actorResource(actor)
  if (!resource) return
  for (let index = from; index < events.length; index += 1) {
    const event = events[index] as EventRecord
    const hasActor = event.related.some((related) => related['prefect.resource.role'] === 'actor')
    if (event.checkedUntil === undefined && !hasActor) events[index] = { ...event, related: [...event.related, resource] }
  }
}
