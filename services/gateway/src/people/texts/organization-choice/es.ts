import type { Texts } from './en.ts'

export const texts = {
  heading: 'Elegir una organización',
  lead: (app) => `¿Para qué organización usa ${app}?`,
  none: 'Para ninguna de ellas',
  noChoice: 'Falta la elección: pulse el nombre de una organización.',
  acting: (organization) => `en la organización ${organization}`,
  only: (organization) => `El acceso vale solo en la organización ${organization}.`,
} satisfies Texts
