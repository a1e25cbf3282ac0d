import { waitIn } from '../time.ts'
import type { Texts } from './en.ts'

export const texts = {
  heading: 'Mais uma etapa',
  loggingIn: (user) => `Você está entrando como ${user}.`,
  loggedIn: (user) => `Você entrou como ${user}. Aqui também é necessário o seu segundo fator.`,
  code: 'Código do seu aplicativo autenticador',
  codeHint: 'Seis dígitos, que mudam a cada 30 segundos.',
  submit: 'Continuar',
  recovery: 'Usar um código de recuperação',
  recoveryCode: 'Código de recuperação',
  recoveryHint: (left) => `Códigos restantes: ${left}. Cada um funciona uma única vez.`,
  nothing:
    'Nenhum dos seus segundos fatores funciona neste servidor no momento. Peça a um administrador que os redefina.',
  somebodyElse: 'Entrar com outra conta',
  missing: 'Digite o código.',
  wrongCode: 'Este código está incorreto ou já foi usado. Espere o próximo e tente novamente.',
  wrongRecoveryCode: 'Este código de recuperação está incorreto ou já foi usado.',
  tooMany: (seconds) => `Códigos incorretos demais. Tente novamente ${waitIn('pt', seconds)}.`,
  ended: 'Este login demorou demais ou houve códigos incorretos demais. Entre novamente.',
} satisfies Texts
