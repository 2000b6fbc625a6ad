import { FilterChip } from '../../ui/filter-chip.tsx'

interface TagChipsProps {
  readonly tags: readonly string[] | undefined
  onRemove(tag: string): void
}

/** The tags that a list is narrowed by, each with its way out. */
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
