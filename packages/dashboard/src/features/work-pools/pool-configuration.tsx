import type { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Panel } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { orderedFields, resolveSchema } from '../schema-form/resolve-schema.ts'
import { templateVariables } from './template-defaults.ts'

/** Job template of a pool and its default values. */
export function PoolConfiguration({ pool }: { readonly pool: WorkPoolResponse }) {
  const variables = templateVariables(pool.base_job_template)
  const rows = variables ? orderedFields(variables).map(([name, field]) => ({ name, ...resolveSchema(field, variables) })) : []
  return (
    <div className="flex max-w-4xl flex-col gap-4">
      <Facts
        facts={[
          { name: 'Type', value: pool.type },
          { name: 'Concurrency limit', value: pool.concurrency_limit ?? 'none' },
          { name: 'Created', value: <TimeText time={pool.created} show="full" /> },
          { name: 'Updated', value: <TimeText time={pool.updated} show="full" /> },
        ]}
      />
      {rows.length === 0 ? (
        <EmptyState
          compact
          title="The job template has no variables"
          action={
            <Link to="/work-pools/work-pool/$name/edit" params={{ name: pool.name }} className={buttonClass('plain')}>
              Edit pool
            </Link>
          }
        />
      ) : (
        <Table
          label="Job template variables"
          rows={rows}
          rowKey={({ name }) => name}
          columns={[
            { header: 'Variable', cell: ({ title, name }) => <span className="font-medium">{title ?? name}</span> },
            {
              header: 'Value',
              cell: ({ default: value }) =>
                value === undefined || value === null ? (
                  <span className="text-faint">–</span>
                ) : (
                  <code className="font-mono text-sm">{JSON.stringify(value)}</code>
                ),
            },
            { header: 'Description', cell: ({ description }) => <span className="text-soft">{description}</span>, className: 'hidden md:table-cell' },
          ]}
        />
      )}
      <Panel title="Base job template">
        <div className="p-3">
          <JsonView label="Base job template" value={pool.base_job_template} />
        </div>
      </Panel>
    </div>
  )
}
