import { ApiError } from '@millrace/client/errors.ts'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { validateTemplate } from '../../api/automations.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Menu, MenuItem, MenuLabel } from '../../ui/menu.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'

/** Common template expressions. */
const insertions: readonly (readonly [label: string, text: string])[] = [
  ['Name of the event', '{{ event.event }}'],
  ['When it happened', '{{ event.occurred }}'],
  ['Name of the resource', '{{ event.resource.name }}'],
  ['Link to the event', '{{ event|ui_url }}'],
  ['Name of the run', '{{ flow_run.name }}'],
  ['State of the run', '{{ flow_run.state.name }}'],
  ['Message of the state', '{{ flow_run.state.message }}'],
  ['Link to the run', '{{ flow_run|ui_url }}'],
  ['Name of the flow', '{{ flow.name }}'],
  ['Name of the deployment', '{{ deployment.name }}'],
  ['Name of the work pool', '{{ work_pool.name }}'],
  ['Name of the automation', '{{ automation.name }}'],
]

interface TemplateFieldProps {
  readonly label: string
  readonly value: string
  readonly error: string | undefined
  readonly long?: boolean
  onChange(value: string): void
}

/** Template text, validated while it is edited. */
export function TemplateField({ label, value, error, long = false, onChange }: TemplateFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const templateError = useTemplateError(value)
  const insert = (text: string) => {
    const at = field.current?.selectionStart ?? value.length
    onChange(value.slice(0, at) + text + value.slice(field.current?.selectionEnd ?? at))
  }
  return (
    <div className="relative">
      <Field label={label} error={templateError ?? error}>
        {(control) => (
          <textarea
            ref={field}
            {...control}
            rows={long ? 5 : 1}
            spellCheck={false}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            className="field w-full font-mono text-sm"
          />
        )}
      </Field>
      <div className="absolute top-0 right-0">
        <Menu
          trigger={
            <Button variant="quiet" className="h-6 px-1.5 text-sm" aria-label={`Insert into ${label.toLowerCase()}`}>
              Insert
            </Button>
          }
        >
          <MenuLabel>Replaced when the automation fires</MenuLabel>
          {insertions.map(([name, text]) => (
            <MenuItem key={text} onSelect={() => insert(text)}>
              {name}
            </MenuItem>
          ))}
        </Menu>
      </div>
    </div>
  )
}

function useTemplateError(text: string): string | undefined {
  const settled = useDebounced(text)
  const { data } = useQuery({
    queryKey: ['templates', settled],
    enabled: settled.includes('{'),
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      try {
        await validateTemplate(settled)
        return null
      } catch (problem) {
        if (problem instanceof ApiError && problem.status === 422) return problem.validationErrors[0]?.msg ?? problem.message
        throw problem
      }
    },
  })
  return settled === text ? (data ?? undefined) : undefined
}
