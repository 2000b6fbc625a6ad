import { plainText, type TriggerDescription } from '@millrace/client/vocabulary/describe-trigger.ts'
import type { Action } from '@millrace/contracts/action.ts'
import { formatDuration } from '../output/time-text.ts'

/** A trigger in one line, below a heading that says "when": `a run enters Failed 3 times within 5m`. */
export function triggerLine({ parts, children }: TriggerDescription): string {
  const text = plainText(parts, formatDuration).replace(/^When /, '')
  if (children.length === 0) return text
  const inner = children.map((child) => (child.children.length === 0 ? triggerLine(child) : `(${triggerLine(child)})`))
  return `${text}: ${inner.join('; ')}`
}

/** `run-deployment, send-notification ×2` */
export function describeActions(actions: readonly Action[]): string {
  const counts = new Map<string, number>()
  for (const { type } of actions) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].map(([type, count]) => (count === 1 ? type : `${type} ×${count}`)).join(', ')
}
