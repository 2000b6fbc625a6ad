import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Table } from '../../ui/table.tsx'
import { branchLabels } from '../schema-form/branch-labels.ts'
import type { Schema } from '../schema-form/json-schema.ts'
import { orderedFields, resolveSchema } from '../schema-form/resolve-schema.ts'

interface ParameterRow {
  readonly name: string
  readonly kind: string
  readonly about: string | undefined
  readonly required: boolean
  readonly value: unknown
  readonly flowDefault: unknown
}

/** Parameters of the flow with the deployment's values. */
export function ParametersView({ deployment }: { readonly deployment: DeploymentResponse }) {
  const rows = parameterRows(deployment)
  if (rows.length === 0) return <EmptyState title="No parameters">The flow has no parameters, or its schema is unknown.</EmptyState>
  return (
    <Table
      label="Parameters"
      rows={rows}
      rowKey={({ name }) => name}
      columns={[
        {
          header: 'Name',
          cell: ({ name, required }) => (
            <span className="font-medium">
              {name}
              {required && (
                <span className="text-danger" title="Required">
                  {' '}
                  *
                </span>
              )}
            </span>
          ),
        },
        { header: 'Type', cell: ({ kind }) => <span className="text-soft">{kind}</span>, className: 'hidden sm:table-cell' },
        {
          header: 'Value',
          cell: ({ value: own, flowDefault: flows }) =>
            own !== undefined ? (
              <code className="font-mono text-sm">{JSON.stringify(own)}</code>
            ) : flows !== undefined ? (
              <span className="text-faint">
                <code className="font-mono text-sm">{JSON.stringify(flows)}</code> (flow default)
              </span>
            ) : (
              <span className="text-faint">–</span>
            ),
        },
        { header: 'Description', cell: ({ about }) => <span className="text-soft">{about}</span>, className: 'hidden md:table-cell' },
      ]}
    />
  )
}

function parameterRows({ parameters, parameter_openapi_schema }: DeploymentResponse): ParameterRow[] {
  const root = (parameter_openapi_schema ?? {}) as Schema
  const whole = resolveSchema(root, root)
  const declared = orderedFields(whole).map(([name, field]): ParameterRow => {
    const inner = resolveSchema(field, root)
    return {
      name,
      kind: branchLabels([{ ...inner, title: undefined } as Schema], root)[0] ?? '',
      about: inner.description,
      required: whole.required?.includes(name) ?? false,
      value: parameters[name],
      flowDefault: inner.default,
    }
  })
  const others = Object.keys(parameters).filter((name) => !declared.some((row) => row.name === name))
  return [
    ...declared,
    ...others.map((name) => ({ name, kind: '', about: undefined, required: false, value: parameters[name], flowDefault: undefined })),
  ]
}
