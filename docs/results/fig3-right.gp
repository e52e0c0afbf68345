# Run in this folder: gnuplot fig3-right.gp
set datafile separator ','
set encoding utf8
set border 3 lw 1
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
set style line 4 lc rgb '#777777' lw 1.5 dt 4
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 1100,560 enhanced font 'Helvetica,14' background rgb 'white'
set output 'fig3-right.svg'
set title "Factored attention on Potts data, V fixed to U, gaussian couplings, L = q = 20\npseudo-likelihood by L-BFGS, means of 30 realisations, standard errors over J and U" font ',12'
set logscale xy
set xlabel 'sequences per parameter of a site, alpha = M / (L - 1)'
set ylabel 'test loss (nats per site)'
set key outside right top Left reverse samplen 3 spacing 1.2 font ',11'
set xrange [0.04:20]
plot 'fig3-right.csv' using 'alpha':'test_loss_0.9_1e-6' with lines lc rgb '#08306b' lw 1.5 dt 1 notitle, \
     '' using 'alpha':'test_loss_0.9_1e-6':'error_0.9_1e-6' with yerrorbars lc rgb '#08306b' lw 1.5 pt 5 ps 0.9 title 'distance 0.9, penalty 10^{-6}', \
     'fig3-right.csv' using 'alpha':'test_loss_0.9_1e-4' with lines lc rgb '#08306b' lw 1.5 dt 2 notitle, \
     '' using 'alpha':'test_loss_0.9_1e-4':'error_0.9_1e-4' with yerrorbars lc rgb '#08306b' lw 1.5 pt 4 ps 0.9 title 'distance 0.9, penalty 10^{-4}', \
     'fig3-right.csv' using 'alpha':'theory_loss_0.9_1e-6' with lines lc rgb '#21918c' lw 2.5 dt 1 title 'theory, many sites, 10^{-6}', \
     '' using 'alpha':'normal_loss_0.9_1e-6' with linespoints lc rgb '#5ec962' lw 1 dt 1 pt 9 ps 0.7 title 'its model at L = 20, 10^{-6}', \
     'fig3-right.csv' using 'alpha':'theory_loss_0.9_1e-4' with lines lc rgb '#21918c' lw 2.5 dt 2 title 'theory, many sites, 10^{-4}', \
     '' using 'alpha':'normal_loss_0.9_1e-4' with linespoints lc rgb '#5ec962' lw 1 dt 2 pt 8 ps 0.7 title 'its model at L = 20, 10^{-4}', \
     1.551040888 with lines lc rgb '#08306b' lw 1.5 dt 3 title 'distance 0.9, optimal', \
     'fig3-right.csv' using 'alpha':'test_loss_0.3_1e-6' with lines lc rgb '#e6740b' lw 1.5 dt 1 notitle, \
     '' using 'alpha':'test_loss_0.3_1e-6':'error_0.3_1e-6' with yerrorbars lc rgb '#e6740b' lw 1.5 pt 7 ps 0.9 title 'distance 0.3, penalty 10^{-6}', \
     'fig3-right.csv' using 'alpha':'test_loss_0.3_1e-4' with lines lc rgb '#e6740b' lw 1.5 dt 2 notitle, \
     '' using 'alpha':'test_loss_0.3_1e-4':'error_0.3_1e-4' with yerrorbars lc rgb '#e6740b' lw 1.5 pt 6 ps 0.9 title 'distance 0.3, penalty 10^{-4}', \
     0.1144938436 with lines lc rgb '#e6740b' lw 1.5 dt 3 title 'distance 0.3, optimal', \
     2.995732274 with lines lc rgb '#777777' dt 4 lw 1.5 title 'no data: ln q'
unset output
unset multiplot
set terminal pngcairo size 1100,560 enhanced font 'Helvetica,14' background rgb 'white'
set output 'fig3-right.png'
set title "Factored attention on Potts data, V fixed to U, gaussian couplings, L = q = 20\npseudo-likelihood by L-BFGS, means of 30 realisations, standard errors over J and U" font ',12'
set logscale xy
set xlabel 'sequences per parameter of a site, alpha = M / (L - 1)'
set ylabel 'test loss (nats per site)'
set key outside right top Left reverse samplen 3 spacing 1.2 font ',11'
set xrange [0.04:20]
plot 'fig3-right.csv' using 'alpha':'test_loss_0.9_1e-6' with lines lc rgb '#08306b' lw 1.5 dt 1 notitle, \
     '' using 'alpha':'test_loss_0.9_1e-6':'error_0.9_1e-6' with yerrorbars lc rgb '#08306b' lw 1.5 pt 5 ps 0.9 title 'distance 0.9, penalty 10^{-6}', \
     'fig3-right.csv' using 'alpha':'test_loss_0.9_1e-4' with lines lc rgb '#08306b' lw 1.5 dt 2 notitle, \
     '' using 'alpha':'test_loss_0.9_1e-4':'error_0.9_1e-4' with yerrorbars lc rgb '#08306b' lw 1.5 pt 4 ps 0.9 title 'distance 0.9, penalty 10^{-4}', \
     'fig3-right.csv' using 'alpha':'theory_loss_0.9_1e-6' with lines lc rgb '#21918c' lw 2.5 dt 1 title 'theory, many sites, 10^{-6}', \
     '' using 'alpha':'normal_loss_0.9_1e-6' with linespoints lc rgb '#5ec962' lw 1 dt 1 pt 9 ps 0.7 title 'its model at L = 20, 10^{-6}', \
     'fig3-right.csv' using 'alpha':'theory_loss_0.9_1e-4' with lines lc rgb '#21918c' lw 2.5 dt 2 title 'theory, many sites, 10^{-4}', \
     '' using 'alpha':'normal_loss_0.9_1e-4' with linespoints lc rgb '#5ec962' lw 1 dt 2 pt 8 ps 0.7 title 'its model at L = 20, 10^{-4}', \
     1.551040888 with lines lc rgb '#08306b' lw 1.5 dt 3 title 'distance 0.9, optimal', \
     'fig3-right.csv' using 'alpha':'test_loss_0.3_1e-6' with lines lc rgb '#e6740b' lw 1.5 dt 1 notitle, \
     '' using 'alpha':'test_loss_0.3_1e-6':'error_0.3_1e-6' with yerrorbars lc rgb '#e6740b' lw 1.5 pt 7 ps 0.9 title 'distance 0.3, penalty 10^{-6}', \
     'fig3-right.csv' using 'alpha':'test_loss_0.3_1e-4' with lines lc rgb '#e6740b' lw 1.5 dt 2 notitle, \
     '' using 'alpha':'test_loss_0.3_1e-4':'error_0.3_1e-4' with yerrorbars lc rgb '#e6740b' lw 1.5 pt 6 ps 0.9 title 'distance 0.3, penalty 10^{-4}', \
     0.1144938436 with lines lc rgb '#e6740b' lw 1.5 dt 3 title 'distance 0.3, optimal', \
     2.995732274 with lines lc rgb '#777777' dt 4 lw 1.5 title 'no data: ln q'
unset output
