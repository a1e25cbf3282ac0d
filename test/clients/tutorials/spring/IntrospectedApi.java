package com.example;

import static org.springframework.security.config.Customizer.withDefaults;

import java.util.Map;

import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What the tests add to the app: an API that introspects access tokens. */
@RestController
class IntrospectedApi {
  @Bean
  @Order(0)
  SecurityFilterChain introspects(HttpSecurity http) throws Exception {
    return http.securityMatcher("/introspected/**")
        .authorizeHttpRequests((requests) -> requests.anyRequest().hasAuthority("SCOPE_read"))
        .oauth2ResourceServer((server) -> server.opaqueToken(withDefaults()))
        .build();
  }

  @GetMapping("/introspected/photos")
  Map<String, String> photos(Authentication authentication) {
    return Map.of("photos", "of " + authentication.getName());
  }
}
