import { FilterChip } from '../../ui/filter-chip.tsx'

interface TagChipsProps {
  readonly tags: readonly string[] | undefined
  onChange(tags: string[] | undefined): void
}

/** The tags that a list is narrowed by, each with its way out. */
export function TagChips({ tags, onChange }: TagChipsProps) {
  return (
    <>
      {tags?.map((tag) => (
        <FilterChip
          key={tag}
          name="Tag"
          onRemove={() => {
            const rest = tags.filter((each) => each !== tag)
            onChange(rest.length > 0 ? rest : undefined)
          }}
        >
          {tag}
        </FilterChip>
      ))}
    </>
  )
}
