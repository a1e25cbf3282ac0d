import { ApiError } from '../api.ts'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { useAct } from './act.ts'
import type { Action, Disabling } from './action.ts'
import { type Question, useConfirmation } from './confirm.tsx'

/**
 * Performs actions with one item.
 * @returns a function that performs an action, after its question if it has one, and the dialog, which belongs on the page
 */
export function useAction() {
  const { act, isPending } = useAct()
  const { ask, dialog } = useConfirmation()
  function start<Item>(action: Action<Item>, item: Item, name: string): void {
    const { perform, undo, done } = action
    const work = () => act(() => perform(item), done(name), undo && (() => undo(item)))
    if (action.consequences) ask(actionQuestion(action, name, work))
    else void work()
  }
  return { start, dialog, isPending }
}

/** Makes the question that is asked before an action. */
export function actionQuestion(
  { label, title = (names) => `${label}: ${names}`, consequences = [] }: Action<never>,
  names: string,
  perform: () => Promise<unknown>,
  count?: number,
): Question {
  return {
    title: title(names),
    consequences,
    action: count === undefined ? label : `${label} (${count})`,
    perform,
  }
}

/** The two actions that enable and disable an item. */
export function useDisablingActions<Item extends { disabled: boolean }>(words: Disabling<Item>) {
  const t = useTexts(commonTexts)
  const set = (wanted: boolean) => ({
    concerns: (item: Item) => item.disabled !== wanted,
    perform: (item: Item) => words.change(item, wanted),
    async undo(item: Item) {
      const { disabled } = await words.read(item)
      if (disabled !== wanted) throw new ApiError(409, 'outdated_revision', '')
      await words.change(item, !wanted)
    },
  })
  const enable: Action<Item> = {
    ...set(false),
    label: t.enable,
    done: words.enabledNotice,
    doneAll: words.enabledAll,
  }
  const disable: Action<Item> = {
    ...set(true),
    label: t.disable,
    color: 'red',
    consequences: words.disableEnds,
    done: words.disabledNotice,
    doneAll: words.disabledAll,
  }
  return { enable, disable }
}

/** An action with one item as a row of a danger zone. @param text the words beside its button */
export function useDanger<Item>(action: Action<Item>, item: Item, name: string, text: string) {
  const { act } = useAct()
  const work = () => act(() => action.perform(item), action.done(name))
  return { text, question: actionQuestion(action, name, work) }
}
