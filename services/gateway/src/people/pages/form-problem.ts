import type { Refusal } from '@gatehouse/kit/errors'

/** A problem with a form that was sent. */
export type Problem = {
  text: string
  /** The parameter that it is about; undefined when it is about the whole form. */
  field: string | undefined
}

/** A refusal's description begins with the parameter that it is about, such as `redirect_uris[2]`. */
const aboutParameter = /^(\w+)(?:\[(\d+)\])? (.*)$/s

/**
 * Says what is wrong with a form, with the form's labels in place of the parameters' names.
 * @param labels the labels of the form's parameters
 */
export function problemOf({ description }: Refusal, labels: Readonly<Record<string, string>>): Problem {
  const [, field = '', index, rest] = aboutParameter.exec(description) ?? []
  const label = Object.hasOwn(labels, field) ? labels[field] : undefined
  if (label === undefined) return { text: description, field: undefined }
  const which = index === undefined ? '' : `, number ${Number(index) + 1},`
  return { text: `“${label}”${which} ${rest}`, field }
}
