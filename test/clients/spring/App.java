package gatehouse;

import java.util.Map;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An app that logs its users in, with two APIs: one verifies access tokens itself, one introspects them. */
@SpringBootApplication
@RestController
public class App {
  public static void main(String[] arguments) {
    SpringApplication.run(App.class, arguments);
  }

  /** By default Spring takes `JWT` alone as the type of a token, which for access tokens is `at+jwt` (RFC 9068 section 2.1). */
  @Bean
  JwtDecoder decoder(@Value("${spring.security.oauth2.resourceserver.jwt.issuer-uri}") String issuer) {
    NimbusJwtDecoder decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
    decoder.setJwtValidator(
        JwtValidators.createAtJwtValidator().issuer(issuer).audience(issuer).build());
    return decoder;
  }

  @Bean
  @Order(1)
  SecurityFilterChain verifies(HttpSecurity http) throws Exception {
    return http.securityMatcher("/verified/**")
        .authorizeHttpRequests((requests) -> requests.anyRequest().hasAuthority("SCOPE_read"))
        .oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
        .build();
  }

  @Bean
  @Order(2)
  SecurityFilterChain introspects(HttpSecurity http) throws Exception {
    return http.securityMatcher("/introspected/**")
        .authorizeHttpRequests((requests) -> requests.anyRequest().hasAuthority("SCOPE_read"))
        .oauth2ResourceServer((server) -> server.opaqueToken(Customizer.withDefaults()))
        .build();
  }

  @Bean
  @Order(3)
  SecurityFilterChain logsIn(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
        .oauth2Login(Customizer.withDefaults())
        .build();
  }

  @GetMapping("/me")
  Map<String, String> me(@AuthenticationPrincipal OidcUser user) {
    return Map.of("name", user.getFullName(), "email", user.getEmail());
  }

  @GetMapping({"/verified/photos", "/introspected/photos"})
  Map<String, String> photos(Authentication authentication) {
    return Map.of("user", authentication.getName());
  }
}
