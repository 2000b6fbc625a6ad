import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { useState } from 'react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Switch } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { CompareGrid } from './compare-grid.tsx'
import { diffValues } from './diff-values.ts'

/** More rows would make the page slow. */
const shownMax = 300

export function CompareParameters({ a, b }: { readonly a: FlowRunResponse; readonly b: FlowRunResponse }) {
  const [all, setAll] = useState(false)
  const values = diffValues(a.parameters, b.parameters).filter(({ path }) => path !== '')
  const different = values.filter(({ same }) => !same)
  const shown = (all ? values : different).slice(0, shownMax)
  const rest = (all ? values : different).length - shown.length
  return (
    <Panel title="Parameters" aside={values.length > different.length && <Switch label="Show unchanged" checked={all} onChange={setAll} />}>
      {shown.length === 0 ? (
        <EmptyState compact title={values.length === 0 ? 'No parameters' : 'Parameters are identical'} />
      ) : (
        <CompareGrid
          label="Parameters"
          names={[a.name, b.name]}
          rows={shown.map(({ path, a, b, same }) => ({
            key: path,
            name: <code className="font-mono text-sm">{path}</code>,
            a: <Value value={a} />,
            b: <Value value={b} />,
            differs: !same,
          }))}
        />
      )}
      {rest > 0 && <p className="px-3.5 py-2 text-faint">{rest.toLocaleString()} more not shown.</p>}
    </Panel>
  )
}

function Value({ value }: { readonly value: unknown }) {
  if (value === undefined) return <span className="text-faint">not set</span>
  return <code className="whitespace-pre-wrap font-mono text-sm">{JSON.stringify(value)}</code>
}
