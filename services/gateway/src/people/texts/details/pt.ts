import type { Texts } from './en.ts'

export const texts = {
  heading: 'Seus dados',
  lead: 'Os aplicativos que você permite ver seu perfil recebem estes dados. O que está vazio não é mostrado a ninguém.',
  addressByAdministrators: 'Só a administração pode alterar seu endereço de e-mail.',
  save: 'Salvar',
  yes: 'sim',
  no: 'não',
  choices: { yes: 'Sim', no: 'Não', none: 'Não informado', leave: (now) => `Deixar como está: ${now}` },
  faults: {
    text: (label, most) => `“${label}” deve ser um texto visível de 1 a ${most} caracteres.`,
    picture: (label) => `“${label}” deve ser um endereço https sem senha.`,
    language: (label) => `“${label}” deve ser um código de idioma, como en ou de-CH.`,
    zone: (label) => `“${label}” deve ser um fuso horário, como Europe/Berlin.`,
  },
} satisfies Texts
