import { FilterChip } from '../../ui/filter-chip.tsx'

interface TagChipsProps {
  readonly tags: readonly string[] | undefined
  onRemove(tag: string): void
}

/** Active tag filters, each with a remove button. */
export function TagChips({ tags, onRemove }: TagChipsProps) {
  return (
    <>
      {tags?.map((tag) => (
        <FilterChip key={tag} name="Tag" onRemove={() => onRemove(tag)}>
          {tag}
        </FilterChip>
      ))}
    </>
  )
}
