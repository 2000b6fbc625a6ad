import type { TextPart, TriggerDescription } from '@millrace/client/vocabulary/describe-trigger.ts'
import { formatDuration } from '../../ui/time-format.ts'
import { ResourceLink } from '../events/resource-link.tsx'
import type { ActionDraft } from './action-kinds.ts'
import { describeAction } from './describe-action.ts'

/** Description with resources as links. */
export function TextParts({ parts }: { readonly parts: readonly TextPart[] }) {
  return (
    <>
      {parts.map((part, index) => {
        const key = `${index} ${typeof part === 'string' ? part : JSON.stringify(part)}`
        if (typeof part === 'string') return <span key={key}>{part}</span>
        if ('resource' in part) return <ResourceLink key={key} id={part.resource} />
        if ('seconds' in part) return <span key={key}>{formatDuration(part.seconds)}</span>
        return (
          <code key={key} className="rounded-sm bg-sunken px-1 font-mono text-sm">
            {part.code}
          </code>
        )
      })}
    </>
  )
}

/** Description of a trigger and its nested triggers. */
export function TriggerDescriptionView({ description }: { readonly description: TriggerDescription }) {
  return (
    <div>
      <p>
        <TextParts parts={description.parts} />
        {description.children.length > 0 ? ':' : '.'}
      </p>
      {description.children.length > 0 && (
        <ul className="mt-1 flex list-disc flex-col gap-1 pl-5 marker:text-faint">
          {description.children.map((inner, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the description is always rendered as a whole
            <li key={index}>
              <TriggerDescriptionView description={inner} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Actions in plain words, one per line. */
export function ActionDescriptions({ actions }: { readonly actions: readonly ActionDraft[] }) {
  if (actions.length === 0) return <p className="text-soft">No actions.</p>
  return (
    <ol className="flex list-decimal flex-col gap-1 pl-5 marker:text-faint">
      {actions.map((action, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is always rendered as a whole
        <li key={index}>
          <TextParts parts={describeAction(action)} />.
        </li>
      ))}
    </ol>
  )
}
