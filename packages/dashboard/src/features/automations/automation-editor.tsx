import { ApiError } from '@millrace/client/errors.ts'
import { parseJson } from '@millrace/client/json.ts'
import { describeTrigger } from '@millrace/client/vocabulary/describe-trigger.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type AutomationDraft, createAutomation, replaceAutomation } from '../../api/automations.ts'
import { describeError } from '../../api/describe-error.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { useShortcut } from '../../ui/shortcuts.ts'
import { showToast } from '../../ui/toast.tsx'
import { findFormIncompatibility } from './automation-draft.ts'
import { AutomationForm } from './automation-form.tsx'
import { ActionDescriptions, TriggerDescriptionView } from './description-view.tsx'
import { JsonEditor } from './json-editor.tsx'
import { MatchingEvents } from './matching-events.tsx'

interface AutomationEditorProps {
  readonly initialDraft: AutomationDraft
  /** Automation to edit. Undefined for a new one. */
  readonly id?: string
}

/** Creates or replaces the automation and returns its id. */
async function saveAutomation(id: string | undefined, draft: AutomationDraft): Promise<string> {
  if (id === undefined) return (await createAutomation(draft)).id
  await replaceAutomation(id, draft)
  return id
}

/** Editor of one draft, as a form or as JSON. */
export function AutomationEditor({ initialDraft, id }: AutomationEditorProps) {
  const [draft, setDraft] = useState(initialDraft)
  const [mode, setMode] = useState<'form' | 'json'>('form')
  const [text, setText] = useState('')
  const [textError, setTextError] = useState<string>()
  const [problem, setProblem] = useState<ApiError>()
  const [busy, setBusy] = useState(false)
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const errors = errorsByPath(problem)

  const show = (next: 'form' | 'json') => {
    if (next === 'json') setText(JSON.stringify(draft, null, 2))
    else if (textError) return showToast('Cannot switch to the form', { tone: 'bad', detail: textError })
    setTextError(undefined)
    setMode(next)
  }
  const write = (next: string) => {
    setText(next)
    try {
      const read = parseJson(next)
      const unfit = findFormIncompatibility(read)
      setTextError(unfit)
      if (!unfit) setDraft({ ...(read as AutomationDraft), actions: (read as Partial<AutomationDraft>).actions ?? [] })
    } catch (error) {
      setTextError(`Invalid JSON: ${(error as Error).message}`)
    }
  }
  const save = async () => {
    if (textError) return showToast('Automation not saved', { tone: 'bad', detail: textError })
    setBusy(true)
    setProblem(undefined)
    try {
      const saved = await saveAutomation(id, draft)
      await queryClient.invalidateQueries({ queryKey: ['automations'] })
      showToast(`Saved ${draft.name}`)
      await navigate({ to: '/automations/automation/$id', params: { id: saved } })
    } catch (error) {
      if (error instanceof ApiError) setProblem(error)
      const { title, detail } = describeError(error)
      showToast(title, { tone: 'bad', ...(detail && { detail }) })
    } finally {
      setBusy(false)
    }
  }
  useShortcut('mod+Enter', 'Save the automation', () => void save())

  const title = id === undefined ? 'New automation' : `Edit ${initialDraft.name}`
  return (
    <Page
      title={title}
      crumbs={[
        { label: 'Automations', to: '/automations' },
        ...(id === undefined ? [] : [{ label: initialDraft.name, to: `/automations/automation/${id}` }]),
      ]}
      actions={
        <>
          <SegmentedControl
            label="Edit as"
            value={mode}
            options={[
              { value: 'form', label: 'Form' },
              { value: 'json', label: 'JSON' },
            ]}
            onChange={show}
          />
          {id === undefined ? (
            <Link to="/automations" className={buttonClass()}>
              Cancel
            </Link>
          ) : (
            <Link to="/automations/automation/$id" params={{ id }} className={buttonClass()}>
              Cancel
            </Link>
          )}
          <Button variant="primary" busy={busy} disabled={draft.name.trim() === '' || textError !== undefined} onClick={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        {mode === 'form' ? (
          <AutomationForm draft={draft} errors={errors} onChange={setDraft} />
        ) : (
          <JsonEditor text={text} error={textError} errors={errors} onChange={write} />
        )}
        <div className="flex min-w-0 flex-col gap-4 lg:sticky lg:top-3">
          <Panel title="Summary">
            <div className="flex flex-col gap-2 p-3.5">
              <TriggerDescriptionView description={describeTrigger(draft.trigger)} />
              <ActionDescriptions actions={draft.actions} />
            </div>
          </Panel>
          <MatchingEvents trigger={draft.trigger} />
        </div>
      </div>
    </Page>
  )
}

/** Field errors by path, e.g. `trigger.triggers.0.within`. Several errors of a field are joined. */
function errorsByPath(problem: Pick<ApiError, 'validationErrors'> | undefined): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { loc, msg } of problem?.validationErrors ?? []) {
    const path = loc.slice(1).join('.')
    found[path] = found[path] === undefined ? msg : `${found[path]}; ${msg}`
  }
  return found
}
