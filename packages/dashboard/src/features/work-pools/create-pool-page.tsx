import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { createWorkPool, type WorkerType, workerTypesQuery } from '../../api/work-pools.ts'
import { classNames } from '../../ui/classes.ts'
import { Switch, TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../query-view.tsx'
import { useAction } from '../use-action.ts'
import { PoolForm, type PoolSettings } from './pool-form.tsx'

export function CreatePoolPage() {
  const types = useQuery(workerTypesQuery())
  return (
    <Page title="New work pool" crumbs={[{ label: 'Work pools', to: '/work-pools' }]}>
      <QueryView query={types}>
        {(found) => <CreatePool types={found.toSorted((a, b) => workerTypeLabel(a).localeCompare(workerTypeLabel(b)))} />}
      </QueryView>
    </Page>
  )
}

const workerTypeLabel = ({ display_name, type }: WorkerType): string => display_name ?? type

function CreatePool({ types }: { readonly types: readonly WorkerType[] }) {
  const navigate = useNavigate()
  const [type, setType] = useState(() => types.find((each) => each.type === 'process')?.type ?? types[0]?.type ?? 'process')
  const [name, setName] = useState('')
  const [isPaused, setPaused] = useState(false)
  const [submitted, setSubmitted] = useState(false)
  const { busy, attempt } = useAction('work-pools', 'work-queues')
  const chosen = types.find((each) => each.type === type)
  const nameError = name.trim() === '' ? 'Enter a name' : /[/%&><]/.test(name) ? 'Must not contain / % & > <' : undefined
  const save = (settings: PoolSettings) => {
    setSubmitted(true)
    if (nameError) return
    void attempt(async () => {
      const made = await createWorkPool({ name: name.trim(), type, is_paused: isPaused, ...settings })
      await navigate({ to: '/work-pools/work-pool/$name', params: { name: made.name } })
      return `Created ${made.name}`
    })
  }
  return (
    <div className="flex flex-col gap-4">
      <fieldset>
        <legend className="pb-2 font-medium">Infrastructure type</legend>
        <div className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3">
          {types.map((each) => (
            <label
              key={each.type}
              className={classNames(
                'card flex cursor-pointer items-start gap-3 p-3 hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent',
                each.type === type && 'border-accent bg-wash',
              )}
            >
              <input type="radio" name="type" className="mt-1 accent-accent" checked={each.type === type} onChange={() => setType(each.type)} />
              <span className="min-w-0">
                <span className="block font-medium">{workerTypeLabel(each)}</span>
                <span className="line-clamp-2 text-soft text-sm">{each.description}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <PoolForm
        key={type}
        initialSettings={{ description: null, concurrency_limit: null, base_job_template: chosen?.default_base_job_configuration ?? {} }}
        busy={busy}
        submitLabel="Create"
        onSave={save}
        onCancel={() => void navigate({ to: '/work-pools' })}
      >
        <TextField label="Name" required error={submitted ? nameError : undefined} value={name} onChange={(event) => setName(event.target.value)} />
        <Switch label="Paused" hint="No runs start until the pool is resumed." checked={isPaused} onChange={setPaused} />
      </PoolForm>
    </div>
  )
}
