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

interface Tagged {
  readonly tag?: string[]
  readonly page?: number
}

/** Removes a tag filter and returns to the first page. */
export const withoutTag =
  (tag: string) =>
  <S extends Tagged>(present: S): S => ({ ...present, page: undefined, tag: present.tag?.filter((each) => each !== tag) })
