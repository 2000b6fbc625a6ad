import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { blocksQuery } from '../../api/blocks.ts'
import { Button } from '../../ui/button.tsx'
import { SearchableSelect } from '../../ui/searchable-select.tsx'

interface BlockPickerProps {
  readonly label: string
  readonly hint: string | undefined
  /** Allowed block types. */
  readonly slugs: readonly string[]
  readonly chosen: string | undefined
  readonly error: string | undefined
  onChoose(id: string | undefined): void
}

/** Select for a field that refers to another block. */
export function BlockPicker({ label, hint, slugs, chosen, error, onChoose }: BlockPickerProps) {
  const { data } = useQuery(blocksQuery({ block_types: { slug: { any_: [...slugs] } }, limit: 200 }))
  return (
    <div className="flex flex-col gap-1">
      <SearchableSelect
        label={label}
        hint={hint}
        error={error}
        options={data?.map(({ id, name, block_type }) => ({ value: id, label: name ?? id, note: block_type?.name }))}
        value={chosen}
        onChange={onChoose}
        emptyText="No blocks yet"
      />
      <div className="flex flex-wrap items-center gap-x-3 text-sm">
        {slugs.map((slug) => (
          <Link key={slug} to="/blocks/catalog/$slug/create" params={{ slug }} target="_blank" className="link">
            New {slug}
          </Link>
        ))}
        {chosen && (
          <Button variant="quiet" className="h-6 px-1.5 text-sm" onClick={() => onChoose(undefined)}>
            Clear
          </Button>
        )}
      </div>
    </div>
  )
}
