import { formatDuration } from '../../ui/time-format.ts'
import { readStatus, type StatusTrigger, stateWord, statusKinds } from './status-trigger.ts'
import { isGroup, type TriggerDraft, valuesOf, type WholeEvent, whole } from './trigger-draft.ts'

/** A piece of a sentence: words, a name of an event or a label as it is spelled, or a thing to be called by its name. */
export type Piece = string | { readonly code: string } | { readonly resource: string }

/** What a trigger waits for, in words; those within it one step deeper. */
export interface Sentence {
  readonly pieces: readonly Piece[]
  readonly inner: readonly Sentence[]
}

export function triggerSentence(trigger: TriggerDraft): Sentence {
  if (isGroup(trigger)) return groupSentence(trigger)
  const status = readStatus(trigger)
  return { pieces: status ? statusPieces(status) : eventPieces(whole(trigger)), inner: [] }
}

function groupSentence(trigger: Extract<TriggerDraft, { triggers: unknown }>): Sentence {
  const inner = (trigger.triggers ?? []).map(triggerSentence)
  const required = 'require' in trigger ? trigger.require : undefined
  const many =
    trigger.type === 'sequence'
      ? 'When these happen one after the other'
      : required === 'any'
        ? 'When any of these happens'
        : typeof required === 'number'
          ? `When ${required} of these happen`
          : 'When all of these happen'
  return { pieces: [many, ...lengthPieces(trigger.within ?? 0, ' within ')], inner }
}

const lengthPieces = (seconds: number, before: string): Piece[] => (seconds > 0 ? [`${before}${formatDuration(seconds)}`] : [])

function statusPieces(status: StatusTrigger): Piece[] {
  const { kind, states, stays, seconds, times, things, related } = status
  const words = listed(states.map(stateWord), 'or')
  const verb = kind === 'flow-run' ? (stays ? ' stays in ' : ' enters ') : stays ? ' stays ' : ' becomes '
  const subject: Piece[] = things.length > 0 ? either(things) : [statusKinds[kind].noun]
  return [
    'When ',
    ...subject,
    ...(related.flow ? [' of ', ...either(related.flow)] : []),
    ...(related.deployment ? [related.flow ? ' and ' : ' of ', ...either(related.deployment)] : []),
    ...(related.tag ? [' tagged ', ...either(related.tag)] : []),
    verb,
    words || 'any state',
    ...(stays ? [` for ${formatDuration(seconds)}`] : timesPieces(times, seconds)),
  ]
}

const timesPieces = (times: number, seconds: number): Piece[] => (times > 1 ? [` ${times} times`, ...lengthPieces(seconds, ' within ')] : [])

const either = (ids: readonly string[]): Piece[] => between(ids.map((resource): Piece => ({ resource })))

const coded = (names: readonly string[]): Piece[] => between(names.map((code): Piece => ({ code })))

const between = (pieces: readonly Piece[]): Piece[] => pieces.flatMap((piece, index) => (index === 0 ? [piece] : [' or ', piece]))

const listed = (words: readonly string[], last: string): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`

function eventPieces({ match, related, after, expect, for_each, posture, threshold, within }: WholeEvent): Piece[] {
  const what: Piece[] = expect.length > 0 ? coded(expect) : ['any event']
  const start: Piece[] = after.length > 0 ? [' after ', ...coded(after)] : []
  const happens =
    posture === 'Proactive'
      ? [' does not happen', ...(threshold > 1 ? [` ${threshold} times`] : []), ...lengthPieces(within, ' within '), ...start]
      : [' happens', ...timesPieces(threshold, within), ...start]
  return [
    'When ',
    ...what,
    ...labelPieces(match, ' to '),
    ...related.flatMap((spec) => labelPieces(spec, ' with ')),
    ...happens,
    ...eachPieces(for_each),
  ]
}

const idLabel = 'prefect.resource.id'

function labelPieces(spec: Readonly<Record<string, string | readonly string[]>>, before: string): Piece[] {
  const { [idLabel]: id, ...rest } = spec
  const labels = Object.entries(rest).flatMap(([label, value]): Piece[] => [', ', { code: label }, ' ', ...coded(valuesOf(value))])
  return id === undefined ? (labels.length > 0 ? [before, 'something', ...labels] : []) : [before, ...either(valuesOf(id)), ...labels]
}

const eachPieces = (labels: readonly string[]): Piece[] =>
  labels.length === 0 || (labels.length === 1 && labels[0] === idLabel) ? [] : [', counted for each ', ...coded(labels)]

/** Without names and links. */
export const plainText = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : 'code' in piece ? piece.code : piece.resource)).join('')
