import { type CompleteEventTrigger, isTriggerGroup, type TriggerDraft, toList, withTriggerDefaults } from './event-trigger.ts'
import { formatStateName, type StatusTrigger, statusKinds, toStatusTrigger } from './status-trigger.ts'

/** Part of a description: text, an event name or label, a resource that may be shown by its name, or a duration. */
export type TextPart = string | { readonly code: string } | { readonly resource: string } | { readonly seconds: number }

/** Description of a trigger, with nested triggers as children. */
export interface TriggerDescription {
  readonly parts: readonly TextPart[]
  readonly children: readonly TriggerDescription[]
}

export function describeTrigger(trigger: TriggerDraft): TriggerDescription {
  if (isTriggerGroup(trigger)) return describeGroup(trigger)
  const status = toStatusTrigger(trigger)
  return { parts: status ? statusParts(status) : eventParts(withTriggerDefaults(trigger)), children: [] }
}

function describeGroup(trigger: Extract<TriggerDraft, { triggers: unknown }>): TriggerDescription {
  const inner = (trigger.triggers ?? []).map(describeTrigger)
  const required = 'require' in trigger ? trigger.require : undefined
  const many =
    trigger.type === 'sequence'
      ? 'When these occur in order'
      : required === 'any'
        ? 'When any of these occurs'
        : typeof required === 'number'
          ? `When ${required} of these occur`
          : 'When all of these occur'
  return { parts: [many, ...durationParts(trigger.within ?? 0, ' within ')], children: inner }
}

const durationParts = (seconds: number, before: string): TextPart[] => (seconds > 0 ? [before, { seconds }] : [])

function statusParts(status: StatusTrigger): TextPart[] {
  const { kind, states, stays, seconds, times, resourceIds: things, related } = status
  const words = formatList(states.map(formatStateName), 'or')
  const verb = kind === 'flow-run' ? (stays ? ' stays in ' : ' enters ') : stays ? ' stays ' : ' becomes '
  const subject: TextPart[] = things.length > 0 ? resourceTextParts(things) : [statusKinds[kind].noun]
  return [
    'When ',
    ...subject,
    ...(related.flow ? [' of ', ...resourceTextParts(related.flow)] : []),
    ...(related.deployment ? [related.flow ? ' and ' : ' of ', ...resourceTextParts(related.deployment)] : []),
    ...(related.tag ? [' tagged ', ...resourceTextParts(related.tag)] : []),
    verb,
    words || 'any state',
    ...(stays ? [' for ', { seconds }] : timesParts(times, seconds)),
  ]
}

const timesParts = (times: number, seconds: number): TextPart[] => (times > 1 ? [` ${times} times`, ...durationParts(seconds, ' within ')] : [])

const resourceTextParts = (ids: readonly string[]): TextPart[] => joinWithOr(ids.map((resource): TextPart => ({ resource })))

const codeParts = (names: readonly string[]): TextPart[] => joinWithOr(names.map((code): TextPart => ({ code })))

const joinWithOr = (pieces: readonly TextPart[]): TextPart[] => pieces.flatMap((piece, index) => (index === 0 ? [piece] : [' or ', piece]))

const formatList = (words: readonly string[], last: string): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`

function eventParts({ match, related, after, expect, for_each, posture, threshold, within }: CompleteEventTrigger): TextPart[] {
  const what: TextPart[] = expect.length > 0 ? codeParts(expect) : ['any event']
  const start: TextPart[] = after.length > 0 ? [' after ', ...codeParts(after)] : []
  const happens =
    posture === 'Proactive'
      ? [' does not occur', ...(threshold > 1 ? [` ${threshold} times`] : []), ...durationParts(within, ' within '), ...start]
      : [' occurs', ...timesParts(threshold, within), ...start]
  return [
    'When ',
    ...what,
    ...labelParts(match, ' on '),
    ...related.flatMap((spec) => labelParts(spec, ' with ')),
    ...happens,
    ...forEachParts(for_each),
  ]
}

const idLabel = 'prefect.resource.id'

function labelParts(spec: Readonly<Record<string, string | readonly string[]>>, before: string): TextPart[] {
  const { [idLabel]: id, ...rest } = spec
  const labels = Object.entries(rest).flatMap(([label, value]): TextPart[] => [', ', { code: label }, ' ', ...codeParts(toList(value))])
  return id === undefined ? (labels.length > 0 ? [before, 'something', ...labels] : []) : [before, ...resourceTextParts(toList(id)), ...labels]
}

const forEachParts = (labels: readonly string[]): TextPart[] =>
  labels.length === 0 || (labels.length === 1 && labels[0] === idLabel) ? [] : [', counted separately by ', ...codeParts(labels)]

/** A description as text. Programs write durations in their own ways. */
export const plainText = (parts: readonly TextPart[], formatDuration: (seconds: number) => string): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return part
      if ('code' in part) return part.code
      return 'resource' in part ? part.resource : formatDuration(part.seconds)
    })
    .join('')
