interface Tagged {
  readonly tag?: string[]
  readonly page?: number
}

/** A list as it is narrowed without one of its tags, from its first page. */
export const withoutTag =
  (tag: string) =>
  <S extends Tagged>(present: S): S => ({ ...present, page: undefined, tag: present.tag?.filter((each) => each !== tag) })
