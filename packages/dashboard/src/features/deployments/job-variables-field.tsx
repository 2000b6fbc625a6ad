import { useQuery } from '@tanstack/react-query'
import { workPoolQuery } from '../../api/work-pools.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { Schema } from '../schema-form/json-schema.ts'
import { SchemaEditor } from '../schema-form/schema-editor.tsx'
import type { FieldErrors } from '../schema-form/validate-value.ts'

interface JobVariablesFieldProps {
  readonly pool: string | null
  readonly value: unknown
  readonly errors?: FieldErrors
  onChange(value: unknown): void
}

/** Variables of the pool's job template. All are optional, because the pool has defaults. */
export function JobVariablesField({ pool, value, errors, onChange }: JobVariablesFieldProps) {
  const found = useQuery({ ...workPoolQuery(pool ?? ''), enabled: pool !== null })
  if (pool !== null && found.isPending) return <Skeleton className="h-24 w-full" />
  const variables = found.data?.base_job_template.variables as Schema | undefined
  return (
    <SchemaEditor
      label="Job variables"
      schema={variables ? { ...variables, required: [] } : null}
      value={value}
      onChange={onChange}
      {...(errors && { errors })}
    />
  )
}
