import type { Texts } from './en.ts'

export const texts = {
  heading: 'Escolher uma organização',
  lead: (app) => `Para qual organização você usa ${app}?`,
  none: 'Para nenhuma delas',
  noChoice: 'A escolha está faltando: pressione o nome de uma organização.',
  acting: (organization) => `na organização ${organization}`,
  only: (organization) => `O acesso vale somente na organização ${organization}.`,
} satisfies Texts
