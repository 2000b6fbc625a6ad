import { Link } from '@tanstack/react-router'
import { SearchableSelect } from '../../ui/searchable-select.tsx'
import type { ActionDraft } from './action-kinds.ts'
import { TemplateField } from './template-field.tsx'
import { useMessageBlockOptions } from './use-resource-options.ts'

type Message = Extract<ActionDraft, { block_document_id: string }>

interface MessageFieldsProps {
  readonly action: Message
  errorAt(field: string): string | undefined
  onChange(change: { block_document_id?: string; subject?: string; body?: string; payload?: string }): void
}

/** Block, subject and body of a notification, or payload of a webhook. */
export function MessageFields({ action, errorAt, onChange }: MessageFieldsProps) {
  const isNotice = action.type === 'send-notification'
  const blocks = useMessageBlockOptions(isNotice ? 'notify' : 'webhook')
  return (
    <>
      <SearchableSelect
        label="Block"
        options={blocks}
        value={action.block_document_id}
        error={errorAt('block_document_id')}
        onChange={(block_document_id) => onChange({ block_document_id })}
        emptyText={isNotice ? 'No notification blocks yet' : 'No webhook blocks yet'}
      />
      {blocks?.length === 0 && (
        <p className="text-soft">
          No blocks yet.{' '}
          {isNotice ? (
            <Link to="/blocks/catalog" search={{ capability: 'notify' }} className="link">
              Create one
            </Link>
          ) : (
            <Link to="/blocks/catalog/$slug/create" params={{ slug: 'webhook' }} className="link">
              Create one
            </Link>
          )}
        </p>
      )}
      {action.type === 'send-notification' ? (
        <>
          <TemplateField label="Subject" value={action.subject ?? ''} error={errorAt('subject')} onChange={(subject) => onChange({ subject })} />
          <TemplateField label="Body" long value={action.body ?? ''} error={errorAt('body')} onChange={(body) => onChange({ body })} />
        </>
      ) : (
        <TemplateField label="Payload" long value={payloadText(action)} error={errorAt('payload')} onChange={(payload) => onChange({ payload })} />
      )}
    </>
  )
}

/** A payload stored as an object is edited as JSON text. */
function payloadText(action: Message): string {
  const payload: unknown = 'payload' in action ? action.payload : ''
  return typeof payload === 'string' ? payload : JSON.stringify(payload ?? '', null, 2)
}
