import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { describeError } from '../../api/problem.ts'
import { deleteSavedSearch, savedSearchesQuery, saveSearch } from '../../api/saved-searches.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../../ui/menu.tsx'
import { say } from '../../ui/toast.tsx'
import { filtersAsSearch, type RunsSearch, searchAsFilters } from './search.ts'

interface SavedSearchesProps {
  readonly search: RunsSearch
  onChange(search: RunsSearch): void
}

/** Searches by name, on the server: everybody who uses it has them. */
export function SavedSearches({ search, onChange }: SavedSearchesProps) {
  const queryClient = useQueryClient()
  const saved = useQuery(savedSearchesQuery())
  const [naming, setNaming] = useState(false)
  const isEmpty = Object.keys(search).length === 0
  const same = (one: RunsSearch) => JSON.stringify(searchAsFilters(one)) === JSON.stringify(searchAsFilters(search))
  const current = saved.data?.find(({ filters }) => same(filtersAsSearch(filters)))

  const change = async (deed: Promise<unknown>, said: string) => {
    try {
      await deed
      say(said)
      await queryClient.invalidateQueries({ queryKey: savedSearchesQuery().queryKey })
    } catch (error) {
      say('The search was not kept', { tone: 'bad', detail: describeError(error).detail ?? '' })
    }
  }
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name')).trim()
    setNaming(false)
    void change(saveSearch({ name, filters: searchAsFilters(search) }), `Saved as “${name}”`)
  }

  return (
    <>
      <Menu
        trigger={
          <Button icon="bookmark" look="quiet" aria-label="Saved searches">
            {current?.name}
          </Button>
        }
      >
        <MenuLabel>Saved searches</MenuLabel>
        {saved.data?.map((each) => (
          <MenuItem key={each.id} {...(each === current ? { icon: 'check' as const } : {})} onSelect={() => onChange(filtersAsSearch(each.filters))}>
            {each.name}
          </MenuItem>
        ))}
        {saved.data?.length === 0 && <p className="px-2 pb-2 text-faint">None yet</p>}
        <MenuLine />
        <MenuItem icon="plus" disabled={isEmpty} onSelect={() => setNaming(true)}>
          Save this search…
        </MenuItem>
        {current && (
          <MenuItem icon="trash" danger onSelect={() => void change(deleteSavedSearch(current.id), `Deleted “${current.name}”`)}>
            Delete “{current.name}”
          </MenuItem>
        )}
      </Menu>
      <Dialog
        open={naming}
        onClose={() => setNaming(false)}
        title="Save this search"
        about="It is kept on the server, for everybody. A name that is taken is replaced."
        actions={
          <>
            <Button onClick={() => setNaming(false)}>Cancel</Button>
            <Button look="primary" type="submit" form="save-search">
              Save
            </Button>
          </>
        }
      >
        <form id="save-search" onSubmit={save}>
          <TextField label="Name" name="name" required autoFocus />
        </form>
      </Dialog>
    </>
  )
}
