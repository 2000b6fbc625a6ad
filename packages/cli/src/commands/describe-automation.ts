import type { Action } from '@millrace/contracts/action.ts'
import type { EventTrigger, Trigger } from '@millrace/contracts/trigger.ts'
import { formatDuration } from '../output/time-text.ts'

/** A trigger in one line: `prefect.flow-run.Failed 3 times within 5m`. */
export function describeTrigger(trigger: Trigger): string {
  switch (trigger.type) {
    case 'compound':
      return `${trigger.require} of (${trigger.triggers.map(describeTrigger).join('; ')})${within(trigger.within)}`
    case 'sequence':
      return `${trigger.triggers.map(describeTrigger).join(', then ')}${within(trigger.within)}`
    default:
      return describeEventTrigger(trigger)
  }
}

function describeEventTrigger({ expect, after, posture, threshold, within: seconds }: EventTrigger): string {
  const events = expect.length === 0 ? 'any event' : expect.join(' or ')
  const times = threshold > 1 ? ` ${threshold} times` : ''
  const start = after.length === 0 ? '' : ` after ${after.join(' or ')}`
  if (posture === 'Proactive') return `no ${events}${times}${start}${within(seconds)}`
  return `${events}${times}${start}${threshold > 1 ? within(seconds) : ''}`
}

const within = (seconds: number | null): string => (seconds ? ` within ${formatDuration(seconds)}` : '')

/** `run-deployment, send-notification ×2` */
export function describeActions(actions: readonly Action[]): string {
  const counts = new Map<string, number>()
  for (const { type } of actions) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].map(([type, count]) => (count === 1 ? type : `${type} ×${count}`)).join(', ')
}
